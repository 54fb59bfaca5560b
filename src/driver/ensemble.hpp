// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "trill/driver/plan.hpp"

#include <span>

namespace trill {
// So many copies keep vector instructions busy and still fit into the fastest memory.
inline constexpr std::size_t most_copies = 64;

// Both are runs of one model with one method, one fixed step size, one time span and the same output, and the method
// and the model let several copies be stepped as one: see MethodInfo::componentwise. Constraints, events, a full mass
// matrix and changed unknowns do not.
bool can_join(const PreparedRun& a, const PreparedRun& b);

// Runs of which every pair can be joined, as one. Each solution is bit by bit what PreparedRun::run() returns without a
// recorder; recorders are left alone. Empty: one of the runs cannot begin or fails, which shows when they are run one
// by one.
std::vector<Solution> run_joined(std::span<PreparedRun* const> runs);

// Of the rows of a run, with a fixed step, in memory.
double bytes_of_rows(const PreparedRun& run);
}  // namespace trill
