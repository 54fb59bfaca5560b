// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "method/inner_states.hpp"
#include "trill/formulation/reformulation.hpp"
#include "trill/method/stepper.hpp"
#include "trill/problem/mechanical.hpp"

namespace trill {
// One row of measured values: what the problem measures, the violation of its constraints, the diagnostics of the
// method and the formulation, and the effort of the step.
class Measures {
 public:
  // If a formulation solves another problem, the constraints of that problem are measured.
  // averages_inner_steps: what the problem measures is the mean over the inner steps of a method that has some.
  Measures(const Problem& problem, const Reformulation* formulation, Stepper& stepper,
           bool averages_inner_steps = false);
  const std::vector<Quantity>& quantities() const { return quantities_; }
  const Vec& at(const State& s, const StepResult& step);

 private:
  void average_inner_steps(const State& s, double h);

  const Problem& problem_;
  const Reformulation* formulation_;
  const Stepper& stepper_;
  InnerStates* inner_ = nullptr;  // null: rows have the values of their own state
  State inside_;
  Vec sum_;
  const ConstraintMap* constraints_ = nullptr;
  MatrixSlot G_;
  Vec g_, gv_, gt_;
  Index own_ = 0, diagnostics_ = 0, of_formulation_ = 0;
  bool has_error_, has_newton_;
  std::vector<Quantity> quantities_;
  Vec values_;
};
}  // namespace trill
