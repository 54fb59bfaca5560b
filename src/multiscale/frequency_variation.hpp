// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "fast_spectrum.hpp"

namespace trill {
// Whether the fast frequencies at this state, found last, depend on where the slow motion is. Where the model names its
// gaps they are compared at points beside it on the slow manifold, at a part of the given distance. Otherwise they are
// taken for constant when there is one only and all masses are equal.
bool frequencies_vary(const MechanicalProblem& stiff, const State& s, const FastSpectrum& spectrum, double distance);
}  // namespace trill
