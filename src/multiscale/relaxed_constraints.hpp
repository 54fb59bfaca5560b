// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "trill/problem/mechanical.hpp"

namespace trill {
// A constrained system whose constraints are replaced by stiff springs, -K G^T g (SAT09 sec. 5). The springs of all
// constraints have the same frequency. Refers to the given problem, which must outlive it.
class RelaxedConstraints final : public MechanicalProblem {
 public:
  explicit RelaxedConstraints(const MechanicalProblem& rigid);
  void set_frequency(double omega, const State& s);
  double frequency() const { return frequency_; }

  std::string name() const override { return rigid_.name() + " (relaxed)"; }
  Layout layout() const override;
  std::vector<Quantity> components() const override;
  std::vector<Parameter> parameters() const override { return rigid_.parameters(); }
  State initial_state() const override;
  std::unique_ptr<Problem> clone() const override;
  MassKind mass_kind() const override { return rigid_.mass_kind(); }
  MatrixSlot mass_pattern() const override { return rigid_.mass_pattern(); }
  void mass(In q, MatrixSlot& m) const override { rigid_.mass(q, m); }
  std::vector<GroupInfo> groups() const override;
  void force(Groups groups, double t, In q, In v, Out f) const override;
  MatrixSlot stiffness_pattern() const override;
  bool velocity_dependent(Groups groups) const override { return rigid_.velocity_dependent(groups); }
  Drag drag(Groups groups) const override { return rigid_.drag(groups); }
  // If the given system has gaps itself, the two kinds cannot be distinguished.
  const StrongPotential* strong_potential() const override { return rigid_.strong_potential() ? nullptr : &springs_; }

 private:
  std::shared_ptr<const Problem> owned_;  // set in a clone, which owns its problem
  const MechanicalProblem& rigid_;
  Groups own_;
  double frequency_ = 0;
  StrongPotential springs_;
  mutable MatrixSlot G_;
  mutable Vec g_, product_;
};
}  // namespace trill
