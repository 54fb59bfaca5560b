// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "formulation/slow_point.hpp"
#include "trill/method/stepper.hpp"

#include <cmath>

namespace trill {
class OscillationWatch;

// What the steps of an implicit Runge-Kutta method need to know about the slow motion (JP95 sec. 4). This base class is
// for systems without a slow manifold: nothing is stiff, nothing oscillates, and steps are not bounded.
class SlowMotion {
 public:
  // Properties of the current step.
  struct StepKind {
    bool stiff = false;          // does not follow the oscillation
    bool measures_slow = false;  // errors are measured along the slow manifold
    double floor = 0;            // errors do not make steps shorter than this
  };
  enum class StepEnd {
    stages_go_on,
    stages_differ,  // the stages still contain the force of an oscillation that was removed
    not_taken       // the step was to remove the oscillation, but has to be repeated with steps that follow it
  };
  // How far the state is from the smooth motion: in tolerances, and as a speed.
  struct Oscillation {
    double q = 0, v = 0, speed = 0;
  };

  virtual ~SlowMotion() = default;
  const StepKind& step() const { return step_; }
  const Oscillation& oscillation() const { return oscillation_; }
  double lost_energy() const { return lost_energy_; }  // energy that the oscillation lost in the last step
  bool follows() const { return follows_; }
  bool leaves_out() const { return memory_.left_out > 1; }    // some step removed more than the tolerance
  virtual const SlowPoint* point() const { return nullptr; }  // the slow point next to the state
  double fast_energy() const { return point() ? point()->fast_energy() : 0; }

  // Multipliers of hard constraints: at a state that was not reached by a step, and those of the slow motion as the
  // last entries of l.
  virtual void take_multipliers(State&) {}
  virtual void hard_multipliers(Out) const {}

  // Called around a step, in this order.
  virtual void forget() {}  // the state was changed, or memory must be dropped
  virtual StepStatus find_start(State&, const StepRequest&, OscillationWatch&) { return StepStatus::ok; }
  virtual void judge_step(double /*h*/, bool /*controlled*/) {}
  virtual StepStatus find_end(double /*t*/, const StepRequest&, Vec& /*y1*/) { return StepStatus::ok; }
  virtual void take_outcome(const State&, const StepRequest&, StepStatus) {}
  virtual void make_tangential(Vec& /*error*/) {}
  // The accelerations and multipliers of stages contain the rounding of positions, divided by h^2, along hard
  // constraints. Where that would show in the error of a step of this size, this point has the same accelerations and
  // multipliers without it, from constraints that are differentiated twice. nullptr: there is none at this state.
  virtual bool rounding_shows(double /*h*/, In /*weights*/) const { return false; }
  virtual const SlowPoint* without_rounding(double /*t*/, In /*q*/, In /*v*/, Counters&) { return nullptr; }
  // Adds the error of the motion across the manifold that gaps prescribe because they move by themselves. The embedded
  // formula has these weights for the start and for the stages, whose positions are the columns of Q.
  virtual void add_prescribed(double /*t*/, double /*h*/, double /*start*/, const Vec& /*stages*/, const Mat& /*Q*/,
                              Vec& /*error*/) {}
  // y1: the end of the step at t, which is moved onto the smooth motion if the plan says so; L: multipliers of its
  // stages.
  virtual StepEnd accept(double /*t*/, double /*h*/, const Mat& /*L*/, const StepRequest&, Vec& /*y1*/) {
    return StepEnd::stages_go_on;
  }
  // Moves the states inside the step that was accepted last as its end was moved. They are the columns of `values` at
  // the times t + h * nodes, the first and the last one its start and end; t is that of the start.
  virtual void smooth_inside(double /*t*/, double /*h*/, In /*nodes*/, Mat& /*values*/) {}

  // The oscillation of this state leaves no trace in stages that are extrapolated over a step of this size.
  virtual bool is_quiet(double /*h*/) const { return true; }
  virtual double step_bound() { return HUGE_VAL; }          // h^2 <= alias epsilon / w_slow
  virtual double longest_step() { return HUGE_VAL; }        // limit that the plan for the oscillation sets
  virtual bool gives_first_slope() const { return false; }  // the first step is chosen from (v, a) of point()
  virtual double first_floor(const State&, const ErrorScale&) { return 0; }

  // The same numbers for every kind of slow motion: a resumed run decides again whether gaps are lifted.
  void memory(Archive& archive) { archive(memory_, follows_); }

 protected:
  struct Memory {
    double most_turning = 0;
    double slow_rate = 0;        // |a'| / |a| of the slow motion
    double solvable = HUGE_VAL;  // largest |h| for which Newton's iteration is expected to converge
    double left_out = 0;         // the largest oscillation that a step removed, in tolerances
  };
  StepKind step_;
  Oscillation oscillation_;
  Memory memory_;
  double lost_energy_ = 0;
  // Steps follow the oscillation as closely as the tolerance says: there is no slow motion, or it is not known as
  // accurately as that. Steps go on with this until the state is smooth again.
  bool follows_ = false;
};
}  // namespace trill
