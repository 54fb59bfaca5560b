// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "trill/driver/driver.hpp"

namespace trill {
// What keeps a run from going on from this state: a sentence when positions or velocities do not satisfy the hard
// constraints, or "".
std::string leaves_constraints(const Problem& problem, const State& state);

// UsageError for a start that has another size, is not finite or violates the constraints, and for output times that do
// not follow the run.
void check_start(const Problem& problem, const State& s, double t_end);
void check_output(const Output& output, double t0, double direction);
}  // namespace trill
