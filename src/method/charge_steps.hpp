// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "problem/time_marks.hpp"
#include "trill/problem/circuit.hpp"

#include <cmath>

namespace trill {
// The sources of a circuit are seen at least so many times in a period: a diode that conducts for a short part of it
// would otherwise be stepped over.
inline constexpr double looks_in_a_period = 50;

inline double longest_charge_step(const CircuitProblem& problem, Index stages) {
  const auto* marked = dynamic_cast<const TimeMarked*>(&problem);
  if (marked && marked->limits_every_step()) return HUGE_VAL;
  const std::optional<double> period = problem.clock_period();
  return period ? static_cast<double>(stages) / looks_in_a_period * *period : HUGE_VAL;
}
}  // namespace trill
