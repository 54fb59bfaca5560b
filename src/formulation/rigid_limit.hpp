// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "formulation/chosen_map.hpp"
#include "formulation/fixman.hpp"
#include "formulation/joined_map.hpp"

#include <optional>

namespace trill {
// Which gaps become rigid, and what acts in place of their oscillation.
struct RigidChoice {
  Groups groups = all_groups;            // the gaps of these groups of forces
  double fixman_kT = 0;                  // temperature of the Fixman force; 0: there is none
  Index fixman_block = 0;                // gaps that couple in it; 0: all
  std::string asked_by = "rigid_limit";  // named where something is refused
};

// The stiff limit of a mechanical system: its strong potential becomes the hard constraint g = 0 (JP95 sec. 3). Hard
// constraints of its own follow the gaps. Refers to the given problem, which must outlive it.
class RigidLimit final : public MechanicalProblem {
 public:
  explicit RigidLimit(const MechanicalProblem& soft, const RigidChoice& choice = {});
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
  const ConstraintMap* constraints() const override { return joined_ ? &*joined_ : &closed(); }

  Index gaps() const { return g_.size(); }  // those that are closed: the first constraints
  bool closes_all() const { return !chosen_; }

  // The nearest point on g = 0 in the metric of the mass, and the velocity projected likewise; false: none was found.
  bool project(State& s) const;
  double opening_energy(const State& s) const;  // 1/2 g^T K g of the closed gaps in a state of the given problem
  double kinetic_energy(In q, In v) const;

 private:
  std::shared_ptr<const Problem> owned_;  // set in a clone, which owns its problem
  const ConstraintMap& closed() const { return chosen_ ? *chosen_ : *soft_.strong_potential()->map; }
  void open_gaps(double t, In q, Out f) const;  // takes the forces of the closed gaps out
  const MechanicalProblem& soft_;
  RigidChoice choice_;
  std::optional<ChosenMap> chosen_;  // where some gaps stay open
  std::optional<JoinedMap> joined_;  // where there are hard constraints
  Groups closed_groups_ = 0;         // the groups with the forces of the closed gaps
  bool by_themselves_ = false;       // these groups have no other forces
  Vec stiffness_;                    // of the closed gaps
  mutable std::optional<FixmanForce> fixman_;
  mutable MatrixSlot G_;
  mutable Vec g_, product_;
};
}  // namespace trill
