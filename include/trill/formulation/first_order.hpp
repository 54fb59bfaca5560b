// SPDX-License-Identifier: BSD-3-Clause
// For authors of methods for y' = f(t, y): any deterministic problem in this form.
#pragma once

#include "trill/formulation/acceleration.hpp"
#include "trill/formulation/underlying_ode.hpp"

#include <optional>

namespace trill {
// Any deterministic problem as y' = f(t, y), for methods that can solve nothing else: a first-order system as it is, a
// mechanical one with y = (q, v), a constrained one through its underlying ODE. This y is the first part of State::y,
// so a method works on State::y in place; multipliers() then gives the multipliers of a constrained system.
class FirstOrderForm {
 public:
  FirstOrderForm(const Problem& problem, std::string_view asker);
  Index size() const { return size_; }
  void start(const State& s);  // allocates
  // false: no acceleration exists there (singular mass or dependent constraints).
  bool rhs(double t, In y, Out dy) {
    if (direct_) {
      direct_->rhs(t, y, dy);
      return true;
    }
    return mechanical_rhs(t, y, dy);
  }
  bool has_multipliers() const { return underlying_.has_value(); }
  void multipliers(double t, In y, Out lambda);  // of a constrained system; costs one force evaluation
  MatrixSlot jacobian_pattern() const;
  // Exact if the problem provides its derivatives; otherwise false, and the caller uses finite differences.
  bool jacobian(double t, In y, MatrixSlot& j);
  Groups counted_groups() const { return counted_; }
  bool has_sparse_factors() const { return underlying_ && underlying_->has_sparse_factors(); }
  void forget() { underlying_->forget(); }  // drops the pivot order of earlier matrices; allocates

 private:
  bool mechanical_rhs(double t, In y, Out dy);
  const FirstOrderProblem* direct_ = nullptr;
  const MechanicalProblem* mechanical_ = nullptr;
  std::optional<Acceleration> accelerate_;
  std::optional<UnderlyingOde> underlying_;
  Index size_ = 0;
  Groups counted_ = 1;
  Vec lambda_, column_;
  MatrixSlot dq_, dv_;
};
}  // namespace trill
