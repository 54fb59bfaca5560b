// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "trill/problem/mechanical.hpp"

namespace trill {
// Forces r(t, q, v, lambda) that depend on the multipliers of hard constraints, such as the friction in a joint.
class ReactionForces {
 public:
  virtual ~ReactionForces() = default;
  virtual bool has_reaction_forces() const = 0;
  virtual void reaction_force(double t, In q, In v, In lambda, Out r) const = 0;
  // Patterns of dr/dq, dr/dv and dr/dlambda.
  struct Patterns {
    MatrixSlot by_position, by_velocity, by_multiplier;
  };
  virtual Patterns reaction_patterns() const = 0;
  virtual void reaction_jacobians(double t, In q, In v, In lambda, Patterns& into) const = 0;
};

// nullptr if none of its forces depends on multipliers.
inline const ReactionForces* reaction_forces(const MechanicalProblem& problem) {
  const auto* forces = dynamic_cast<const ReactionForces*>(&problem);
  return forces && forces->has_reaction_forces() ? forces : nullptr;
}

// M(q) q'' = f(t, q, v) + r(t, q, v, lambda) - G^T lambda,  g(q, t) = 0. It is not a mechanical system itself, so that
// methods which know nothing of r refuse it. Layout and state are those of mechanics(), which has reaction forces.
class ReactiveProblem : public Problem {
 public:
  static std::string kind() { return "a mechanical system whose forces depend on multipliers"; }
  virtual const MechanicalProblem& mechanics() const = 0;
};

// For methods that take both kinds of mechanical systems.
inline const MechanicalProblem& mechanics_with_reactions(const Problem& problem, std::string_view asker) {
  if (const auto* reactive = dynamic_cast<const ReactiveProblem*>(&problem)) return reactive->mechanics();
  return problem.as<MechanicalProblem>(asker);
}
}  // namespace trill
