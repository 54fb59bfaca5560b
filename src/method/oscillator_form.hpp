// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "trill/base/errors.hpp"
#include "trill/problem/mechanical.hpp"

#include <string>

namespace trill {
// The problem as q'' = g(t, q); UsageError for constraints, a position-dependent mass and velocity-dependent forces.
inline const MechanicalProblem& oscillator_form(const Problem& problem, const std::string& asker,
                                                const std::string& others) {
  const auto& p = problem.as<MechanicalProblem>(asker);
  if (p.constraints()) throw UsageError(asker + " cannot satisfy constraints; use rattle for '" + p.name() + "'");
  if (p.mass_kind() == MassKind::of_q)
    throw UsageError(asker + " needs a constant mass matrix, not a position-dependent mass; use " + others + " for '" +
                     p.name() + "'");
  if (p.velocity_dependent(all_groups))
    throw UsageError(asker + " needs forces that do not depend on velocity; use " + others + " for '" + p.name() + "'");
  return p;
}
}  // namespace trill
