// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "formulation/joined_map.hpp"

#include <optional>

namespace trill {
// The stiff limit of a mechanical system: its strong potential becomes the hard constraint g = 0 (JP95 sec. 3). Hard
// constraints of its own follow the gaps. Refers to the given problem, which must outlive it.
class RigidLimit final : public MechanicalProblem {
 public:
  explicit RigidLimit(const MechanicalProblem& soft);
  std::string name() const override { return soft_.name() + " (rigid limit)"; }
  Layout layout() const override;
  std::vector<Quantity> components() const override;
  std::vector<Parameter> parameters() const override { return soft_.parameters(); }
  State initial_state() const override;
  std::unique_ptr<Problem> clone() const override;
  MassKind mass_kind() const override { return soft_.mass_kind(); }
  MatrixSlot mass_pattern() const override { return soft_.mass_pattern(); }
  void mass(In q, MatrixSlot& m) const override { soft_.mass(q, m); }
  void mass_product_derivative(In q, In w, MatrixSlot& d) const override { soft_.mass_product_derivative(q, w, d); }
  std::vector<GroupInfo> groups() const override { return soft_.groups(); }
  void force(Groups groups, double t, In q, In v, Out f) const override;
  MatrixSlot stiffness_pattern() const override { return soft_.stiffness_pattern(); }
  MatrixSlot damping_pattern() const override { return soft_.damping_pattern(); }
  bool velocity_dependent(Groups groups) const override { return soft_.velocity_dependent(groups); }
  const ConstraintMap* constraints() const override { return joined_ ? &*joined_ : soft_.strong_potential()->map; }

  Index gaps() const { return g_.size(); }  // the first constraints

  // The nearest point on g = 0 in the metric of the mass, and the velocity projected likewise; false: none was found.
  bool project(State& s) const;
  double opening_energy(const State& s) const;  // 1/2 g^T K g of a state of the given problem
  double kinetic_energy(In q, In v) const;

 private:
  std::shared_ptr<const Problem> owned_;  // set in a clone, which owns its problem
  const MechanicalProblem& soft_;
  std::optional<JoinedMap> joined_;  // where there are hard constraints
  mutable MatrixSlot G_;
  mutable Vec g_, product_;
};
}  // namespace trill
