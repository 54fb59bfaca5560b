// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "trill/problem/mechanical.hpp"

namespace trill {
// Several copies of one system as one system: ordered by component, and within a component by copy. A method that
// treats every component alike steps all copies at once, with the same arithmetic as each alone.
class JoinedProblem final : public MechanicalProblem {
 public:
  // Copies must have equal layouts, mass kinds, groups, breakpoints and quantities, no events, and must outlive this.
  explicit JoinedProblem(std::vector<const MechanicalProblem*> copies);
  Index copies() const { return count_; }
  void put(Index copy, In from, Out y) const;              // copies the state of one copy into a joined one
  void take(Index copy, const double* from, Out y) const;  // and back

  std::string name() const override { return first().name(); }
  Layout layout() const override;
  std::vector<Quantity> components() const override;
  State initial_state() const override;
  std::unique_ptr<Problem> clone() const override { return std::make_unique<JoinedProblem>(copies_); }
  std::vector<double> breakpoints(double t0, double t1) const override { return first().breakpoints(t0, t1); }
  std::vector<Quantity> quantities() const override;  // those of the first copy, then of the next, ...
  void measure(const State& s, Out values) const override;
  std::string time_unit() const override { return first().time_unit(); }

  MassKind mass_kind() const override { return first().mass_kind(); }
  void mass(In q, MatrixSlot& m) const override;
  std::vector<GroupInfo> groups() const override { return first().groups(); }
  void force(Groups groups, double t, In q, In v, Out f) const override {
    block_->force(groups, t, q.data(), v.data(), f.data());
  }
  // Joined runs never need derivatives, and a dense pattern would be large.
  MatrixSlot stiffness_pattern() const override { return empty_pattern(); }
  MatrixSlot damping_pattern() const override { return empty_pattern(); }
  bool velocity_dependent(Groups groups) const override { return first().velocity_dependent(groups); }

 private:
  const MechanicalProblem& first() const { return *copies_.front(); }
  const MechanicalProblem& at(Index copy) const { return *copies_[static_cast<std::size_t>(copy)]; }
  MatrixSlot empty_pattern() const { return MatrixSlot::sparse(SpMat(layout().nq, layout().nq)); }

  std::vector<const MechanicalProblem*> copies_;
  Index count_, own_quantities_;
  std::unique_ptr<ForceBlock> block_;
  mutable State one_;
};
}  // namespace trill
