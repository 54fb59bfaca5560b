// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "formulation/slow_point.hpp"
#include "trill/method/stepper.hpp"

#include <cmath>

namespace trill {
class OscillationWatch;

// What the steps of an implicit Runge-Kutta method ask of the slow motion beside them (JP95 sec. 4). This class answers
// for systems without a slow manifold: nothing is stiff, nothing oscillates, and no step has bounds.
class SlowMotion {
 public:
  // Of the step that is being made.
  struct StepKind {
    bool stiff = false;          // does not follow the oscillation
    bool measures_slow = false;  // errors are measured along the slow manifold
    double floor = 0;            // steps are not made shorter for the sake of errors
  };
  // How far the state lies off the smooth motion: in tolerances, and as a speed.
  struct Oscillation {
    double q = 0, v = 0, speed = 0;
  };

  virtual ~SlowMotion() = default;
  const StepKind& step() const { return step_; }
  const Oscillation& oscillation() const { return oscillation_; }
  double lost_energy() const { return lost_energy_; }         // of the oscillation, in the last step
  virtual const SlowPoint* point() const { return nullptr; }  // beside the state
  double fast_energy() const { return point() ? point()->fast_energy() : 0; }

  // Of hard constraints, at a state that no step has led to; and those of the slow motion, as the last entries of l.
  virtual void take_multipliers(State&) {}
  virtual void hard_multipliers(Out) const {}

  // Around a step, in this order.
  virtual void forget() {}  // the state was changed, or memory must be dropped
  virtual StepStatus find_start(State&, const StepRequest&, OscillationWatch&) { return StepStatus::ok; }
  virtual void judge_step(double /*h*/, bool /*controlled*/) {}
  virtual StepStatus find_end(double /*t*/, const StepRequest&, Vec& /*y1*/) { return StepStatus::ok; }
  virtual void take_outcome(const State&, const StepRequest&, StepStatus) {}
  virtual void make_tangential(Vec& /*error*/) {}
  // y1: the end of the step at t, moved onto the smooth motion where that is meant; L: multipliers of its stages.
  // false: the stages hold the force of an oscillation that is gone.
  virtual bool accept(double /*t*/, double /*h*/, const Mat& /*L*/, const StepRequest&, Vec& /*y1*/) { return true; }

  // An oscillation of this state leaves nothing in stages that are carried on over a step of this size.
  virtual bool is_quiet(double /*h*/) const { return true; }
  virtual double step_bound() { return HUGE_VAL; }          // h^2 <= alias epsilon / w_slow
  virtual double longest_step() { return HUGE_VAL; }        // of what is meant with the oscillation
  virtual bool gives_first_slope() const { return false; }  // the first step is chosen by (v, a) of point()
  virtual double first_floor(const State&, const ErrorScale&) { return 0; }

  // The same numbers for every kind: whether gaps are lifted is decided anew where a run goes on.
  void memory(Archive& archive) { archive(memory_); }

 protected:
  struct Memory {
    double most_turning = 0;
    double slow_rate = 0;        // |a'| / |a| of the slow motion
    double solvable = HUGE_VAL;  // |h| up to which Newton's iteration may be expected to converge
  };
  StepKind step_;
  Oscillation oscillation_;
  Memory memory_;
  double lost_energy_ = 0;
};
}  // namespace trill
