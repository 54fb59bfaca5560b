// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "trill/driver/plan.hpp"

#include <span>

namespace trill {
// This many copies keep vector instructions busy and still fit into the fastest cache.
inline constexpr std::size_t most_copies = 64;

// Whether both are runs of one model with one method, one fixed step size, one time span and the same output, and
// method and model allow stepping several copies as one: see MethodInfo::componentwise. Constraints, events, a full
// mass matrix and changed unknowns do not allow it.
bool can_join(const PreparedRun& a, const PreparedRun& b);

// Runs all of these as one; every pair of them must be joinable. Each solution is bit by bit what PreparedRun::run()
// returns without a recorder; recorders are not used. Empty: one of the runs cannot begin or fails; run them one by one
// to see which.
std::vector<Solution> run_joined(std::span<PreparedRun* const> runs);

// Memory for the rows of a run with a fixed step.
double bytes_of_rows(const PreparedRun& run);
}  // namespace trill
