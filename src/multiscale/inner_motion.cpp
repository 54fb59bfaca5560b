// SPDX-License-Identifier: BSD-3-Clause
#include "multiscale/inner_motion.hpp"

#include "trill/linalg/kernels.hpp"
#include "trill/method/registry.hpp"

#include <fmt/format.h>

namespace trill {
namespace {
constexpr std::int64_t most_repetitions = 100;  // steps in place of one

// Where formulas only change their branch, the error estimate shortens the steps.
void check_inner_problem(const Problem& problem, std::string_view asker) {
  if (problem.layout().nl > 0)
    throw UsageError(
        fmt::format("{} cannot follow the cycles of '{}', because it has constraints", asker, problem.name()));
  for (const EventInfo& event : problem.events())
    if (!event.restarts)
      throw UsageError(
          fmt::format("{} cannot follow the cycles of '{}', because its event '{}' may change the state "
                      "inside a cycle; use an ordinary method",
                      asker, problem.name(), event.name));
}
}  // namespace

void add_new_work(const Counters& now, Counters& seen, Counters& total) {
  for (std::size_t k = 0; k < now.forces.size(); ++k) total.forces[k] += now.forces[k] - seen.forces[k];
  total.steps += now.steps - seen.steps;
  total.rejected += now.rejected - seen.rejected;
  total.jacobians += now.jacobians - seen.jacobians;
  total.newton_iterations += now.newton_iterations - seen.newton_iterations;
  total.factorisations += now.factorisations - seen.factorisations;
  seen = now;
}

InnerMotion::InnerMotion(const Problem& problem, const char* method, Accuracy accuracy, std::string_view asker)
    : problem_(problem.clone()), session_(*problem_, Formulas::of_each_state), accuracy_(std::move(accuracy)) {
  check_inner_problem(problem, asker);
  stepper_ = Catalogue::all().method(method).make(*problem_, {});
  state_ = before_ = problem_->initial_state();
  session_.enter(state_);
  set_first_step(0, 0);
}

void InnerMotion::set_first_step(double h, double longest) {
  advancer_.emplace(*stepper_, AdaptiveStep{.rtol = accuracy_.rtol, .atol = accuracy_.atol, .h0 = h, .h_max = longest});
  counted_ = {};
}

void InnerMotion::start(double t, In y, double t_end) {
  state_.t = t;
  state_.y = y;
  advancer_->start(state_, t_end);
  breakpoints_ = problem_->breakpoints(std::min(t, t_end), std::max(t, t_end));
  std::sort(breakpoints_.begin(), breakpoints_.end());
  next_break_ = 0;
  add_new_work(advancer_->counters(), counted_, work_);
}

bool InnerMotion::step(double t_stop) {
  while (next_break_ < breakpoints_.size() && breakpoints_[next_break_] <= state_.t) ++next_break_;
  const bool breaks = next_break_ < breakpoints_.size() && breakpoints_[next_break_] < t_stop;
  before_.t = state_.t;
  before_.y = state_.y;
  const AdvanceResult result = advancer_->one(state_, breaks ? breakpoints_[next_break_] : t_stop);
  if (breaks && state_.t >= breakpoints_[next_break_]) advancer_->note_jump();
  add_new_work(advancer_->counters(), counted_, work_);
  return result.status == AdvanceStatus::ok && all_finite(state_.y);
}

bool InnerMotion::again(double t_stop) {
  state_.t = before_.t;
  state_.y = before_.y;
  advancer_->note_correction();
  return run(t_stop, most_repetitions);
}

bool InnerMotion::run(double t_stop, std::int64_t most_steps) {
  while (state_.t < t_stop)
    if (most_steps-- <= 0 || !step(t_stop)) return false;
  return true;
}

void InnerMotion::inside(double t, Out y) { stepper_->interpolate((t - before_.t) / (state_.t - before_.t), y); }
}  // namespace trill
