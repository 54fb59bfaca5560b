// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "trill/problem/problem.hpp"

namespace trill {
// What keeps a run from going on from this state: a sentence when positions or velocities do not satisfy the hard
// constraints, or "".
std::string leaves_constraints(const Problem& problem, const State& state);
}  // namespace trill
