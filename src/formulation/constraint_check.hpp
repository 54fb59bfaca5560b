// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "formulation/constraint_manifold.hpp"

#include <optional>
#include <string>
#include <vector>

namespace trill {
// The constraints that depend on each other nearly enough to be told, by name; G is their slope.
std::string nearly_dependent(const ConstraintMap& map, const MatrixSlot& G, double tolerance);

// What may be wrong with the hard constraints of a mechanical system at a state, with names, and the way from there to
// the nearest state on them. Sentences are empty where nothing is wrong. It refers to the problem.
class ConstraintCheck {
 public:
  explicit ConstraintCheck(const MechanicalProblem& problem);  // with constraints
  static constexpr double dependent = 1e-10;                   // what is left of a row beside the others, of its length

  // The constraint that is farthest off: its value or rate, and the distance from it relative to 1 + the largest
  // coordinate or velocity.
  struct Violation {
    Index row = 0;
    double value = 0, relative = 0;
  };
  Violation of_position(double t, In q);
  Violation of_velocity(double t, In q, In v);

  Vec values(const State& s);  // of the constraints, and after them their rates
  // What farthest changed since there were these values: of positions, and of velocities.
  struct Change {
    Violation position, velocity;
  };
  Change change(const State& s, const Vec& values_before);

  std::string dependence(double t, In q);  // redundant or contradictory constraints, a singular position
  std::string near_dependence(const State& s, const State& elsewhere);  // at s, and not as much elsewhere
  std::string contradiction(double t, In q);                            // no position near this one satisfies all
  std::string missing_inertia(double t, In q);                          // a motion that has neither mass nor constraint

  // The nearest state in the metric of the mass, first positions, then velocities; what moved farthest is told.
  struct Moved {
    Index coordinate = 0, velocity = 0;
    double position_by = 0, velocity_by = 0;
  };
  std::optional<Moved> project(State& s);           // nothing: none was found
  std::optional<Moved> project_velocity(State& s);  // positions stay
  std::optional<Vec> multipliers(const State& s);

 private:
  std::string dependence_of(Index row, const std::vector<Index>& of) const;
  // Least squares of all constraints from here, rows scaled to slope 1; nothing: the iteration did not settle. What
  // remains, row by row.
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
