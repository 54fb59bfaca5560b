// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "formulation/prospect.hpp"

namespace trill {
// Away from the slow manifold the linearisation mixes the force of open gaps into the slow frequencies (PJY97 sec.
// 3.1), so a model that names its stiff gaps is examined with the gaps closed.
State with_closed_gaps(const Problem& problem, const State& start);

// The rates at a state. Large systems are not decomposed: only the largest rate is estimated, by a few products.
// Nothing is known of circuits. Energies are those of `motion`, which is near s.
TimeScales time_scales(const Problem& problem, const State& s, const State& motion, double span);

// How many evaluations of the forces that takes at the most.
inline constexpr double most_evaluations_for_scales = 300;
double evaluations_for_scales(const Problem& problem, const State& s);

// Fast and slow are told apart at the widest gap between frequencies (ascending, none of them zero). All below 1/span
// are slow, however far apart they are; a ratio of 5 or less is no gap.
ScaleGap widest_gap(const std::vector<double>& frequencies, double span);
}  // namespace trill
