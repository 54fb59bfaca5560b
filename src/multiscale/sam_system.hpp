// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "multiscale/split_flow.hpp"
#include "trill/base/archive.hpp"

#include <memory>

namespace trill {
// The motion observed once per fast period T, as y' = F(t, y). With the map P over one period, computed by split
// micro-steps,
//   order 2:  F = (P y - P^-1 y)/(2 T)
//   order 4:  F = (8 (P y - P^-1 y) - (P^2 y - P^-2 y))/(12 T)
// Its solution agrees with the motion at the times t0 + k T; between them the rest of a period is integrated.
class SamSystem final : public FirstOrderProblem {
 public:
  // Refers to the problem, which must outlive it. period = 0: the period of the fast forces.
  SamSystem(const MechanicalProblem& problem, double period);
  std::string name() const override { return problem_.name() + " (once in a period)"; }
  Layout layout() const override { return {2 * n_, 0, 0, 0}; }
  std::vector<Quantity> components() const override;
  State initial_state() const override;
  std::unique_ptr<Problem> clone() const override;
  void rhs(double t, In y, Out dy) const override;

  void start(double t_begin, double t_end, In q);  // UsageError if the fast forces are not those of an oscillator
  // Steps per period. Micro-steps of order 4 are the Strang splitting extrapolated from `steps` and twice as many.
  void set_steps(int steps, int micro_order);
  void set_order(int order);
  int steps() const { return steps_; }
  int micro_order() const { return micro_order_; }
  int order() const { return order_; }
  double period() const { return period_; }
  const LinearOscillation& fast() const { return *fast_; }
  const MechanicalProblem& problem() const { return problem_; }
  SplitFlow& flow() const { return *flow_; }

  // The motion at t computed from y(t) of this system; `since` is the time since the last whole period ended.
  void follow(double t, In y, double since, Out motion) const;

  // Errors of F by cause, per unit of time, and the change in one period, relative to the largest motion so far.
  struct Errors {
    double order_2 = 0, order_4 = 0, micro = 0, change = 0;
  };
  Errors errors(double t, In y) const;

  void memory(Archive& archive);  // with the last slope: computing it again would be counted

 private:
  double distance(In a, In b) const;  // positions are weighted with the highest frequency
  // Differences over one period and over two, (P y - P^-1 y)/(2 T) and (P^2 y - P^-2 y)/(4 T).
  void differences(double t, In y, int steps, bool twice) const;
  void split_differences(double t, In y, int steps, bool twice) const;
  void average(double t, In y, Out dy) const;

  std::shared_ptr<const Problem> owned_;  // set in a clone, which owns its problem
  const MechanicalProblem& problem_;
  Index n_;
  double given_period_, period_ = 0;
  int steps_ = 4, micro_order_ = 2, order_ = 2;
  std::unique_ptr<LinearOscillation> fast_;
  std::unique_ptr<SplitFlow> flow_;
  mutable LinearOscillation::Turn on_, back_, part_;
  mutable double last_t_ = 0, change_ = 0, largest_ = 0;
  mutable Vec last_y_, last_f_, shifted_, slope_, once_, twice_, coarse_once_, coarse_twice_;
};
}  // namespace trill
