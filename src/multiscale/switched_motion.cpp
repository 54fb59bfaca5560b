// SPDX-License-Identifier: BSD-3-Clause
#include "multiscale/switched_motion.hpp"

#include "trill/linalg/kernels.hpp"
#include "trill/method/registry.hpp"

#include <algorithm>

namespace trill {
namespace {
constexpr std::int64_t most_turns_of_switches = 200'000;
constexpr double turning_accuracy = 1e-9;  // of a step
}  // namespace

SwitchedMotion::SwitchedMotion(const CircuitProblem& problem, const State& start, double rtol, double longest)
    : owner_(problem.clone()),
      problem_(&owner_->as<CircuitProblem>("the transient of a circuit")),
      session_(*problem_, Formulas::held),
      stepper_(Catalogue::all().method("radau").make(*problem_, {})),
      control_({.rtol = rtol, .atol = Vec::Constant(1, 1e-3 * rtol), .h_max = longest}),
      consistent_(*problem_, start.t, start.y),
      state_(start),
      before_(start),
      inside_(start),
      events_(problem_->events()),
      sides_(events_.size(), 0) {
  session_.enter(state_);
}

void SwitchedMotion::start(const State& s, double t_end) {
  state_ = s;
  session_.enter(state_);
  turns_left_ = most_turns_of_switches;
  advancer_.emplace(*stepper_, control_);
  advancer_->start(state_, t_end);
  corners_ = problem_->breakpoints(s.t, t_end);
  std::sort(corners_.begin(), corners_.end());
  next_corner_ = 0;
  find_sides();
}

void SwitchedMotion::find_sides() {
  for (std::size_t k = 0; k < sides_.size(); ++k) {
    const double value = event_value(static_cast<int>(k), state_);
    const bool is_on = k < state_.mode.size() && state_.mode[k] != 0;
    sides_[k] = !events_[k].restarts ? 0 : value > 0 ? 1 : value < 0 ? -1 : is_on ? 1 : -1;
  }
}

int SwitchedMotion::turned() const {
  for (std::size_t k = 0; k < sides_.size(); ++k)
    if (sides_[k] != 0 && sides_[k] * event_value(static_cast<int>(k), state_) < 0) return static_cast<int>(k);
  return -1;
}

bool SwitchedMotion::advance(double t_stop) {
  const AdvanceResult result = advancer_->one(state_, t_stop);
  ++steps_;
  return result.status == AdvanceStatus::ok && all_finite(state_.y);
}

bool SwitchedMotion::step(double t_stop) {
  while (next_corner_ < corners_.size() && corners_[next_corner_] <= state_.t) ++next_corner_;
  const bool breaks = next_corner_ < corners_.size() && corners_[next_corner_] < t_stop;
  const double stop = breaks ? corners_[next_corner_] : t_stop;
  before_ = state_;
  const std::int64_t seen = advancer_->counters().most_forces();
  bool done = advance(stop);
  if (const int event = done ? turned() : -1; event >= 0) done = land_on(event);
  if (breaks && state_.t >= stop) advancer_->note_jump();
  evaluations_ += advancer_->counters().most_forces() - seen;
  return done;
}

bool SwitchedMotion::run(double t_stop) {
  while (state_.t < t_stop)
    if (!step(t_stop)) return false;
  return true;
}

// The step is made again and ends where the switch has just turned.
bool SwitchedMotion::land_on(int event) {
  const double h = state_.t - before_.t;
  const int side = sides_[static_cast<std::size_t>(event)];
  inside_.mode = before_.mode;
  double early = 0, late = 1;
  while (late - early > turning_accuracy) {
    const double middle = 0.5 * (early + late);
    stepper_->interpolate(middle, inside_.y);
    inside_.t = before_.t + middle * h;
    (side * event_value(event, inside_) < 0 ? late : early) = middle;
  }
  const double end = before_.t + late * h;
  state_ = before_;
  advancer_->note_correction();
  while (state_.t < end)
    if (!advance(end)) return false;
  return turn(event);
}

bool SwitchedMotion::turn(int event) {
  if (--turns_left_ < 0) return false;
  const std::vector<int> mode = state_.mode;
  problem_->on_event(event, state_);
  for (std::size_t k = 0; k < sides_.size(); ++k)
    if (static_cast<int>(k) == event || (k < mode.size() && state_.mode[k] != mode[k])) sides_[k] = -sides_[k];
  session_.enter(state_);
  advancer_->note_jump();
  return consistent_.settle(state_.t, state_.y) == ConsistentCharges::Status::ok;
}
}  // namespace trill
