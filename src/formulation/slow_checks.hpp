// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "formulation/slow_system.hpp"
#include "trill/formulation/reformulation.hpp"

namespace trill {
// The lowest frequency of the gaps, or where modes are not computed an estimate from each gap by itself.
double slowest_gap(const SlowSystem& slow, const State& s);

// Describes forces outside the gaps that are as fast as the gaps: springs that are not declared as gaps, forcing in
// time. Empty if there are none.
std::string fast_soft_forces(const SlowSystem& slow, const State& s, const RunScope& scope);
}  // namespace trill
