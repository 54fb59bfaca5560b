// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "problem/consistent_charges.hpp"
#include "trill/control/advance.hpp"

#include <optional>

namespace trill {
// The motion of a circuit by an ordinary method, with its switches: for what is no cycle yet, and for cycles that
// cannot be computed by themselves.
class SwitchedMotion {
 public:
  // longest: step, so that no switch turns twice in one.
  SwitchedMotion(const CircuitProblem& problem, const State& start, double rtol, double longest);
  SwitchedMotion(const SwitchedMotion&) = delete;
  SwitchedMotion& operator=(const SwitchedMotion&) = delete;

  void start(const State& s, double t_end);
  // One step that ends at t_stop or earlier: at a corner of a source, or where a switch turns. false: it failed.
  bool step(double t_stop);
  bool run(double t_stop);  // steps until t_stop
  const State& state() const { return state_; }
  std::int64_t steps() const { return steps_; }
  std::int64_t evaluations() const { return evaluations_; }

 private:
  void find_sides();
  int turned() const;  // the first switch that is on its other side; -1: none
  double event_value(int event, const State& s) const { return problem_->event_value(event, s); }
  bool land_on(int event);
  bool turn(int event);
  bool advance(double t_stop);

  std::unique_ptr<Problem> owner_;
  const CircuitProblem* problem_;
  ProblemSession session_;
  std::unique_ptr<Stepper> stepper_;
  AdaptiveStep control_;
  std::optional<Advancer> advancer_;
  ConsistentCharges consistent_;
  State state_, before_, inside_;
  std::vector<EventInfo> events_;
  std::vector<int> sides_;  // of every event: the sign of its value until it happens; 0: it never does
  std::vector<double> corners_;
  std::size_t next_corner_ = 0;
  std::int64_t steps_ = 0, evaluations_ = 0, turns_left_ = 0;
};
}  // namespace trill
