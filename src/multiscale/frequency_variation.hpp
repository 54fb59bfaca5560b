// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "multiscale/fast_spectrum.hpp"

namespace trill {
// Whether the gaps that a model names are its fastest oscillations: other forces of it may be faster, or it may name
// soft gaps. Large systems, for which modes are not computed, are taken at their word.
bool gaps_are_fastest(const MechanicalProblem& stiff, const State& s);

// Whether the fast frequencies at this state, where the spectrum was computed last, depend on the position of the slow
// motion: they are compared at neighbouring points, up to the distance that the motion covers. of_gaps: the fast modes
// are those of the gaps that the model names. Otherwise, if there are several fast modes or unequal masses, the
// frequencies are assumed to vary.
bool frequencies_vary(const MechanicalProblem& stiff, const State& s, FastSpectrum& spectrum, double distance,
                      bool of_gaps);
}  // namespace trill
