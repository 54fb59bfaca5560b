// SPDX-License-Identifier: BSD-3-Clause
// Events inside a step, and what they do to the motion.
#include "driver/run.hpp"
#include "trill/linalg/kernels.hpp"

#include <cmath>
#include <limits>

#include <fmt/format.h>

namespace trill {
namespace {
// Share of the longest step. Switches whose controls cross within this time change together: which of them is found
// first depends on rounding.
constexpr double one_instant = 2e-7;
constexpr double on_threshold = 1e-3;  // of the largest distance of a control from its threshold
}  // namespace

// The values at the stages of the last step show that no switch turned.
bool Run::stays_between_switches() {
  if (!stages_ || options_.reformulation) return false;
  for (Index stage = 0; stage <= stages_->inner_stages(); ++stage) {
    const bool is_end = stage == stages_->inner_stages();
    if (is_end)
      scratch_.y = inner_.y;
    else
      stages_->stage_value(stage, scratch_.y);
    scratch_.t = inner_.t - (is_end ? 0 : 1 - stages_->stage_place(stage)) * last_step_.h_taken;
    scratch_.mode = inner_.mode;
    if (!detector_.stays(scratch_)) return false;
  }
  return true;
}

// A state a little later than that inside the last step at theta, extrapolated if the step ends there.
State Run::just_after(double theta, double h) {
  const double later =
      std::max(one_instant * visible_time(), 64 * std::numeric_limits<double>::epsilon() * std::abs(inner_.t));
  const double ahead = std::min(later / std::abs(h), 1.0);
  State state = inside(theta);
  if (theta + ahead <= 1) {
    state = inside(theta + ahead);
  } else if (theta > 0) {
    const double back = std::min(theta, ahead);
    state.y += ahead / back * (state.y - inside(theta - back).y);
    state.t += ahead * h;
  }
  return state;
}

// Switches of a circuit turn each other, and may turn together.
bool Run::act(const Event& event, double theta, double h, State& after) {
  if (!event.action) return false;
  if (!event.restarts || options_.reformulation || !switched_) return event.action(after);
  State later = just_after(theta, h);
  const bool go_on = event.action(later);
  after.mode = later.mode;
  return go_on;
}

// True: the state was changed at an event, and the step ends there.
bool Run::handle_events(double t0, double h) {
  crowding_.passed(h);
  if (stays_between_switches()) return false;
  double from = 0;
  const EventDetector::Interpolant at = [this](double theta) -> const State& { return inside(theta); };
  while (const auto hit = detector_.first(from, h, t0, at)) {
    const State before = inside(hit->theta);
    if (hit->unresolved || (from == 0 && sides_.contradicts(hit->event, before, visible_time(), detector_))) {
      step_shorter(*hit, t0, h);
      return true;
    }
    if (!clock_.counts_steps()) output_until(before.t, t0, h);
    if (options_.reformulation) inside(hit->theta);  // output has overwritten inside_ with other states
    const Event& event = events_[hit->event];
    outcome_.events.push_back({event.name, before.t});
    State after = before;
    const bool go_on = act(event, hit->theta, h, after);
    const bool changed = after.y != before.y || after.mode != before.mode;
    if (!go_on || changed || event.restarts) {
      if (options_.dense) keep_dense(t0, h, hit->theta);
      if (restart_behind(hit->event, before, after, changed) && !go_on) end_as(RunStatus::event, "");
      return true;
    }
    from = hit->theta;
  }
  if (detector_.left_a_switch()) {
    leave(inner_, user_);
    session_.enter(user_);
  }
  return false;
}

// False: the run cannot continue from there.
bool Run::restart_behind(std::size_t index, const State& before, const State& after, bool changed) {
  const Event& event = events_[index];
  if (last_recorded_ != before.t) record(before);
  const bool changes = !event.restarts && event.action;
  if (changes) sides_.act(index, before, after, visible_time(), detector_);
  detector_.leave(before);
  // Before the event a method may already be off the constraints by its tolerance; the event is not to blame for that.
  const bool stays_on = changed && !event.restarts && leaves_constraints(problem_, before).empty();
  std::optional<ConstraintSwitch> passed;
  if (event.restarts) passed.emplace(problem_, before);
  user_ = after;
  session_.enter(user_);
  if (passed ? !follow(*passed) : !take_sides()) return false;
  if (!settle_again()) return false;
  if (crowds(index, before.t) || (stays_on && breaks_constraints(event))) return false;
  if (event.restarts ? user_.y != after.y : changed) record(user_);
  if (!take_in()) return false;
  if (options_.reformulation && event.restarts) record_moved();
  advancer_.note_jump();
  detector_.restart(user_, index);
  if (switched_ && !options_.reformulation) take_turns(index, before.mode);
  if (!takes_side(index)) return false;
  return !changes || !accumulates(index);
}

// The motion is about to be on the sides to which the switches that changed belong now. The place where the first of
// them changed is known only to the accuracy of the step.
void Run::take_turns(std::size_t first, const std::vector<int>& before) {
  for (std::size_t k = 0; k < before.size(); ++k) {
    if (user_.mode[k] == before[k]) continue;
    const int side = user_.mode[k] ? 1 : -1;
    if (k != first || std::abs(events_[k].root(user_)) <= on_threshold * detector_.extent(k)) detector_.turn(k, side);
  }
}

// A formulation may have moved the state after a switch, for example onto gaps that it treats as constraints.
void Run::record_moved() {
  constexpr double noticed = 1e-9;
  const Vec before = user_.y;
  leave(inner_, user_);
  if (max_abs(user_.y - before) > noticed * (1 + max_abs(before))) record(user_);
}

// Moves the user's state so that it satisfies the constraints after a switch; false: it cannot.
bool Run::follow(const ConstraintSwitch& passed) {
  const std::string complaint = passed.follow(user_, advancer_.notes());
  if (complaint.empty()) return true;
  end_as(RunStatus::refused, fmt::format("at t = {:.6g}: {}", user_.t, complaint));
  return false;
}

// Solves again for what follows from algebraic equations; false: there is no solution.
bool Run::settle_again() {
  const std::string complaint = settle_charges(problem_, user_);
  if (!complaint.empty()) end_as(RunStatus::refused, fmt::format("at t = {:.6g}: {}", user_.t, complaint));
  return complaint.empty();
}

// A state that is exactly on switches takes the formulas of the side to which it moves; false: it cannot.
bool Run::take_sides() {
  constexpr double ahead_by = 1e-9;  // share of the whole run
  if (!session_.holds_formulas()) return true;
  State ahead = user_;
  const double dt = ahead_by * (t_end_ - t_start_);
  ahead.t += dt;
  if (ahead.layout.nv == ahead.layout.nq) ahead.q() += dt * ahead.v();
  int index = 0;
  for (const EventInfo& info : problem_.events()) {
    const int i = index++;
    if (info.restarts && problem_.event_value(i, user_) == 0 && problem_.event_value(i, ahead) != 0)
      problem_.on_event(i, ahead);
  }
  if (ahead.mode == user_.mode) return true;
  const ConstraintSwitch passed(problem_, user_);
  user_.mode = ahead.mode;
  session_.enter(user_);
  return follow(passed);
}

bool Run::crowds(std::size_t index, double t) {
  const Event& event = events_[index];
  if (!crowding_.adds(static_cast<std::int64_t>(index), event.restarts, t)) return false;
  end_in_crowd(event, t);
  return true;
}

void Run::end_in_crowd(const Event& event, double t) {
  end_as(
      RunStatus::refused,
      fmt::format("at t = {:.6g}: event '{}' happens again and again at ever shorter intervals; {}", t, event.name,
                  event.restarts ? "the motion is held at the place where a formula switches; let the formula change "
                                   "smoothly there, for instance by tanh"
                                 : "separate the conditions of events that undo each other, or let the event "
                                   "end the run (stop = true)"));
}

bool Run::breaks_constraints(const Event& event) {
  const std::string complaint = leaves_constraints(problem_, user_);
  if (complaint.empty()) return false;
  end_as(RunStatus::refused, fmt::format("at t = {:.6g}, after event '{}': {}; after an event both positions and "
                                         "velocities must satisfy the constraints",
                                         user_.t, event.name, complaint));
  return true;
}

// Converts the user's state after an event into that of the run; false: the formulation cannot continue from it.
bool Run::take_in() {
  try {
    enter();
    return true;
  } catch (const UsageError& e) {
    end_as(RunStatus::refused, fmt::format("at t = {:.6g}, after an event: {}", user_.t, e.what()));
    return false;
  }
}
}  // namespace trill
