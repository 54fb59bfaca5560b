// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "multiscale/fast_spectrum.hpp"

namespace trill {
// Whether the fast frequencies at this state, where the spectrum was found last, depend on where the slow motion is:
// they are compared at points beside it, up to the distance that the motion covers. Where the model names no gaps and
// has several fast modes or unequal masses, they are taken to vary.
bool frequencies_vary(const MechanicalProblem& stiff, const State& s, FastSpectrum& spectrum, double distance);
}  // namespace trill
