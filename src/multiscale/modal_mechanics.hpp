// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "trill/formulation/acceleration.hpp"
#include "trill/problem/mechanical.hpp"

namespace trill {
// Those fast groups whose forces are linear and do not depend on velocities.
Groups linear_groups(const MechanicalProblem& problem);

// A mechanical system with linear fast forces in the coordinates x of some of their modes: q = rest + shapes x, with
// the linear forces -lambda x and all others projected, shapes^T f(t, q, q'). These are evaluated with all unknowns.
class ModalMechanics final : public MechanicalProblem {
 public:
  // UsageError naming `modal` where the forces have no linear part, or masses or constraints of another kind.
  explicit ModalMechanics(const MechanicalProblem& whole);
  void take_modes(const State& at, Index count);  // the lowest ones
  // How much of this state the modes leave out, relative to the state: of positions, of velocities over the first
  // frequency left out, and of the static answer to the other forces. 0: all modes are taken.
  double left_out(const State& given);
  void to_modes(const State& given, State& in) const;
  void from_modes(const State& in, State& given) const;
  Index most_modes() const { return whole_.layout().nq; }
  double slowest() const { return std::sqrt(std::max(lambda_.size() > 0 ? lambda_[0] : 0.0, 0.0)); }
  double fastest() const { return std::sqrt(std::max(lambda_.size() > 0 ? lambda_.tail(1)[0] : 0.0, 0.0)); }

  std::string name() const override { return whole_.name() + " in modes"; }
  std::unique_ptr<Problem> clone() const override;
  Layout layout() const override { return {lambda_.size(), lambda_.size(), 0, 0}; }
  std::vector<Quantity> components() const override;
  State initial_state() const override;
  std::vector<GroupInfo> groups() const override { return {{"linear", true}, {"other", false}}; }
  void force(Groups groups, double t, In x, In v, Out f) const override;
  bool force_jacobian(Groups groups, double t, In x, In v, MatrixSlot& dq, MatrixSlot& dv) const override;
  bool linear_force(Groups groups) const override { return (groups & ~linear_bit) == 0; }
  bool velocity_dependent(Groups groups) const override {
    return (groups & other_bit) && whole_.velocity_dependent(others_);
  }

 private:
  static constexpr Groups linear_bit = 1, other_bit = 2;
  const MechanicalProblem& whole_;
  Groups linear_, others_;
  SpMat mass_;
  Vec lambda_, rest_;
  double next_ = 0;       // the eigenvalue of the first mode that is left out; 0: none is
  Mat shapes_, momenta_;  // momenta_: M shapes_
  Acceleration accelerate_;
  mutable Vec q_, v_, f_;
};
}  // namespace trill
