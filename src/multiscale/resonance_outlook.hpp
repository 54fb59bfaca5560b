// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "multiscale/force_levels.hpp"
#include "multiscale/resonance.hpp"

namespace trill {
// Where kicks by the slowest level resonate with the fastest oscillation, found from the state at the start.
// UsageError: h is such a step, and `otherwise` can take it. Empty: there is nothing to say.
std::string resonance_outlook(const MechanicalProblem& problem, const std::vector<ForceLevel>& levels,
                              std::string_view method, std::string_view otherwise, const State& start, double h);
}  // namespace trill
