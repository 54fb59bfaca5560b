// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "linalg/differences.hpp"
#include "problem/time_marks.hpp"
#include "trill/formulation/first_order.hpp"
#include "trill/problem/circuit.hpp"

namespace trill {
// y' = f(t, y) as d/dt charge(y) + current(t, y) = 0 with the charge y, so that what is built for circuits serves
// first-order and mechanical systems too. Unknowns are those of the problem.
class RatesAsCharges final : public CircuitProblem, public TimeMarked {
 public:
  // UsageError, in the name of the asker, for motions that are more than that: constraints, random forces, and events
  // that change the state.
  RatesAsCharges(const Problem& problem, std::string_view asker);
  std::string name() const override { return problem_->name(); }
  Layout layout() const override { return {form_->size(), 0, 0, 0}; }
  std::vector<Quantity> components() const override { return problem_->components(); }
  State initial_state() const override;
  std::unique_ptr<Problem> clone() const override { return std::make_unique<RatesAsCharges>(*problem_, asker_); }
  std::string time_unit() const override { return problem_->time_unit(); }

  void charge(In x, Out c) const override { c = x; }
  void current(double t, In x, Out i) const override;
  MatrixSlot jacobian_pattern() const override { return pattern_; }
  void jacobians(double t, In x, MatrixSlot& dcharge, MatrixSlot& dcurrent) const override;

  std::vector<double> breakpoints(double t0, double t1) const override { return problem_->breakpoints(t0, t1); }
  std::vector<TimeMark> time_marks(double t0, double t1) const override { return time_marks_of(*problem_, t0, t1); }
  std::vector<EventInfo> events() const override { return problem_->events(); }
  double event_value(int event, const State& s) const override { return problem_->event_value(event, own_state(s)); }
  bool depends_on_time() const;  // its rates at the start differ at other times

 private:
  void enter(const State& s, Formulas) const override { session_->enter(own_state(s)); }
  void leave() const noexcept override;
  State own_state(const State& s) const;

  std::unique_ptr<Problem> problem_;
  std::string asker_;
  std::unique_ptr<FirstOrderForm> form_;
  mutable std::optional<ProblemSession> session_;
  MatrixSlot pattern_;
  mutable MatrixSlot own_jacobian_;
  mutable DifferenceJacobian differences_;
};
}  // namespace trill
