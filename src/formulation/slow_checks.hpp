// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "formulation/slow_system.hpp"
#include "trill/formulation/reformulation.hpp"

namespace trill {
// The frequency of the slowest gap, or where modes are not found an estimate from the gaps one by one.
double slowest_gap(const SlowSystem& slow, const State& s);

// Forces beside the gaps that are as fast as these: springs that are not named as gaps, forcing in time. Empty: none.
std::string fast_soft_forces(const SlowSystem& slow, const State& s, const RunScope& scope);
}  // namespace trill
