// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "multiscale/fast_spectrum.hpp"

namespace trill {
// Whether the fast frequencies at this state, where the spectrum was computed last, depend on the position of the slow
// motion: they are compared at neighbouring points, up to the distance that the motion covers. If the model declares no
// gaps and has several fast modes or unequal masses, they are assumed to vary.
bool frequencies_vary(const MechanicalProblem& stiff, const State& s, FastSpectrum& spectrum, double distance);
}  // namespace trill
