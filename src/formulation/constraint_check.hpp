// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "formulation/constraint_manifold.hpp"

#include <optional>
#include <string>
#include <vector>

namespace trill {
// Names the constraints that are so nearly dependent on each other that it should be reported; G is their Jacobian.
std::string nearly_dependent(const ConstraintMap& map, const MatrixSlot& G, double tolerance);

// Checks what may be wrong with the hard constraints of a mechanical system at a state, says it with names, and finds
// the nearest state that satisfies them. The strings are empty where nothing is wrong. Refers to the problem.
class ConstraintCheck {
 public:
  explicit ConstraintCheck(const MechanicalProblem& problem);  // the problem must have constraints
  // Limit for the part of a row that is independent of the others, relative to its length.
  static constexpr double dependent = 1e-10;

  // The constraint that is violated most: its value or rate, and the violation relative to 1 + the largest coordinate
  // or velocity.
  struct Violation {
    Index row = 0;
    double value = 0, relative = 0;
  };
  Violation of_position(double t, In q);
  Violation of_velocity(double t, In q, In v);

  Vec values(const State& s);  // values of the constraints, followed by their rates
  // The constraints whose value and whose rate changed most compared with these values.
  struct Change {
    Violation position, velocity;
  };
  Change change(const State& s, const Vec& values_before);

  std::string dependence(double t, In q);  // redundant or contradictory constraints, a singular position
  std::string near_dependence(const State& s, const State& elsewhere);  // nearly dependent at s, but less so elsewhere
  std::string contradiction(double t, In q);    // no position near this one satisfies all of them
  std::string missing_inertia(double t, In q);  // a motion with neither mass nor constraint

  // The nearest state in the metric of the mass, first positions, then velocities; the result says what moved most.
  struct Moved {
    Index coordinate = 0, velocity = 0;
    double position_by = 0, velocity_by = 0;
  };
  std::optional<Moved> project(State& s);           // empty: none was found
  std::optional<Moved> project_velocity(State& s);  // positions stay
  std::optional<Vec> multipliers(const State& s);

 private:
  std::string dependence_of(Index row, const std::vector<Index>& of) const;
  // Gauss-Newton iteration on all constraints from here, rows scaled to slope 1. Returns the remaining residual of each
  // row; empty if the iteration did not converge.
  std::optional<Vec> close_all(double t, Vec& q);
  bool stays_dependent(double t, In closed);
  ConstraintManifold& manifold();

  const MechanicalProblem& problem_;
  const ConstraintMap& map_;
  Index n_, m_;
  std::optional<ConstraintManifold> manifold_;  // made when it is needed
  MatrixSlot G_;
  Vec g_, rate_, x_, mu_;
};
}  // namespace trill
