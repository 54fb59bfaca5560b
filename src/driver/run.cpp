// SPDX-License-Identifier: BSD-3-Clause
#include "driver/run.hpp"

#include "driver/checkpoint_interval.hpp"
#include "driver/failure.hpp"
#include "problem/quantity_kind.hpp"
#include "trill/problem/langevin.hpp"

#include <cmath>
#include <limits>
#include <utility>

#include <fmt/format.h>

namespace trill {
namespace {
// Switches of formulas are ignored if a method has no values inside its steps.
const Problem& timed_problem(const Problem& given, const DriverOptions& options) {
  const Reformulation* form = options.reformulation;
  return form && form->keeps_time() ? form->inner() : given;
}

std::vector<Event> events_of(const Problem& problem, const Stepper& stepper, const DriverOptions& options) {
  std::vector<Event> events;
  int index = 0;
  for (const EventInfo& info : problem.events()) {
    const int i = index++;
    if (info.restarts && stepper.info().dense == Dense::none) continue;
    events.push_back({info.name, [&problem, i](const State& s) { return problem.event_value(i, s); }, info.direction,
                      [&problem, i, stops = info.stops](State& s) {
                        problem.on_event(i, s);
                        return !stops;
                      },
                      info.restarts});
  }
  events.insert(events.end(), options.events.begin(), options.events.end());
  return events;
}
}  // namespace

Run::Run(const Problem& problem, Stepper& stepper, State start, double t_end, const DriverOptions& options)
    : problem_(problem),
      session_(problem, stepper.info().dense == Dense::none ? Formulas::of_each_state : Formulas::held),
      stepper_(stepper),
      options_(options),
      t_start_(start.t),
      t_end_(t_end),
      direction_(t_end < t_start_ ? -1 : 1),
      events_(events_of(timed_problem(problem, options), stepper, options)),
      detector_(events_),
      advancer_(stepper, options.control, options.newton_retries, options.seed),
      memory_(solution_),
      recorder_(options.recorder ? *options.recorder : memory_),
      timed_(dynamic_cast<TimedRecorder*>(&recorder_)),
      notices_(options.notices),
      user_(std::move(start)),
      clock_(options.output, t_start_, direction_),
      sides_(problem, events_, events_.size() - options.events.size(), direction_),
      series_(events_.size()),
      checkpoint_every_(checkpoint_interval(stepper.info(), user_.y.size(), options.checkpoint_every)) {
  check_step_count(options.control, options.output, t_start_, t_end_);
  for (Notice& notice : settle_start(problem, user_, t_end)) notices_.push_back(std::move(notice));
  const auto* limited = dynamic_cast<const LimitedValidity*>(&problem);
  if (limited && limited->has_limits()) limited_ = limited;
  stages_ = dynamic_cast<const HasStageValues*>(&stepper);
  controls_inside_ = dynamic_cast<ControlsInside*>(&stepper);
  switched_ = dynamic_cast<const Switched*>(&problem);
  leaping_ = dynamic_cast<const Leaping*>(&problem);
  random_ = dynamic_cast<const LangevinProblem*>(&problem) != nullptr;
  check_output(options.output, t_start_, direction_);
  check_dense();
  find_breakpoints();
  // Fixed steps are what the user asked for.
  if (std::holds_alternative<AdaptiveStep>(options.control))
    bounds_ = StepBounds(
        time_marks_of(timed_problem(problem, options), std::min(t_start_, t_end_), std::max(t_start_, t_end_)),
        direction_);
}

void Run::check_dense() const {
  if (stepper_.info().dense == Dense::none && !events_.empty())
    throw UsageError(stepper_.info().name +
                     " gives no values inside its steps, so events cannot be found with it; use another method");
}

void Run::find_breakpoints() {
  const Problem& timed = timed_problem(problem_, options_);
  // A corner that rounding has moved next to an end of the run is there.
  const double rounding = rounding_of_time(std::max(std::abs(t_start_), std::abs(t_end_)));
  for (const double t : timed.breakpoints(std::min(t_start_, t_end_), std::max(t_start_, t_end_)))
    if (std::abs(t - t_start_) > rounding && std::abs(t - t_end_) > rounding) breakpoints_.push_back(t);
  std::sort(breakpoints_.begin(), breakpoints_.end());
  breakpoints_.erase(std::unique(breakpoints_.begin(), breakpoints_.end()), breakpoints_.end());
  if (direction_ < 0) std::reverse(breakpoints_.begin(), breakpoints_.end());
}

Solution Run::go() {
  begin();
  counted_until_ = Clock::now();
  while (under_way()) take_step();
  count_seconds();
  finish();
  return std::move(solution_);
}

void Run::count_seconds() {
  const auto now = Clock::now();
  advancer_.counters().seconds += std::chrono::duration<double>(now - counted_until_).count();
  counted_until_ = now;
}

void Run::begin() {
  session_.enter(user_);
  advancer_.notes().restore(notices_);
  if (!take_sides()) throw UsageError(outcome_.message);
  enter();
  advancer_.start(inner_, t_end_);
  start_ = inner_;
  leave(inner_, user_);
  scratch_ = inner_;
  inside_ = user_;
  const auto want = options_.info.settings.find("want");
  const bool wants_averages = stepper_.info().delivers == Delivers::statistics ||
                              (want != options_.info.settings.end() && want->second == to_text(Delivers::statistics));
  measures_.emplace(problem_, options_.reformulation, stepper_, wants_averages);
  recorder_.begin(info());
  detector_.start(user_);
  check_sides_at_start();
  for (Observer* observer : options_.observers) observer->begin(problem_, user_);
  if (options_.resume)
    resume(*options_.resume);
  else
    record(user_);
  last_regular_ = advancer_.counters().steps;
  last_stored_ = std::max(last_regular_, repeat_to_);
  if (!options_.resume) mark_restart();
  batches_ = detector_.empty() && options_.observers.empty() && !options_.reformulation && !options_.dense &&
             stepper_.info().dense != Dense::none && !limited_;
}

RunInfo Run::info() const {
  RunInfo info = options_.info;
  info.layout = user_.layout;
  info.time_unit = problem_.time_unit();
  info.components = problem_.components();
  give_kinds(info.components, info.layout);
  info.quantities = measures_->quantities();
  return info;
}

void Run::enter() {
  if (options_.reformulation) {
    options_.reformulation->enter(user_, inner_, advancer_.notes());
    t_end_ = options_.reformulation->end(inner_).value_or(t_end_);
  } else {
    inner_ = user_;
  }
}

void Run::leave(const State& in, State& out) const {
  if (options_.reformulation) return options_.reformulation->leave(in, out);
  out.t = in.t;
  out.y = in.y;
  out.mode = in.mode;
}

void Run::take_step() {
  const std::int64_t before = advancer_.counters().steps, batch = batch_size(before);
  if (!detector_.empty()) begin_ = inner_;
  if (controls_inside_) controls_inside_->values_inside_are_used(may_look_inside());
  const AdvanceResult result = batch > 1 ? advancer_.several(inner_, next_stop(), clock_.next_time(), batch)
                                         : advancer_.one(inner_, next_stop());
  if (batches_ && batch == batch_.amount()) batch_.look();
  if (result.status != AdvanceStatus::ok) {
    if (!leap(result)) fail(result);
    return;
  }
  clock_.pass_steps(advancer_.counters().steps - before - 1);
  last_step_ = result.step;
  shorter_step_before_ = std::exchange(shorter_step_, 0);
  const double t0 = result.t_begin, h = inner_.t - t0;
  const bool goes_on = !options_.reformulation || correct();
  const bool truncated = !detector_.empty() && handle_events(t0, h);
  if (limited_ && !check_validity()) return keep_last_valid(t0);
  if (!truncated) {
    if (options_.dense) keep_dense(t0, h, 1);
    output_until(inner_.t, t0, h);
  }
  if (!goes_on) refuse();
  pass_breakpoints();
  if (before >= repeat_to_)
    for (Observer* observer : options_.observers) {
      leave(inner_, user_);
      observer->accepted(user_, last_step_);
    }
  between_steps();
}

// Rows lie in the next step, unless it turns out shorter, or events are looked for there.
bool Run::may_look_inside() const {
  constexpr double stretched = 1.1;  // to end at a given time
  return !detector_.empty() || options_.dense ||
         direction_ * (clock_.next_time() - inner_.t) < stretched * advancer_.next_h();
}

// Number of steps that may be taken at once: nobody looks at them one by one, and nothing is due in between.
std::int64_t Run::batch_size(std::int64_t steps) const {
  if (!batches_) return 1;
  std::int64_t most = std::min({batch_.amount(), options_.max_steps - steps, clock_.steps_left()});
  if (recorder_.keeps_checkpoints()) most = std::min(most, checkpoint_every_ - (steps - last_regular_));
  return repeating() ? std::min(most, repeat_to_ - steps) : most;
}

double Run::next_stop() const {
  double stop = bounds_.limit(inner_.t, next_break_ < breakpoints_.size() ? breakpoints_[next_break_] : t_end_);
  if (shorter_step_ > 0 && std::abs(stop - inner_.t) > shorter_step_) stop = inner_.t + direction_ * shorter_step_;
  if (stepper_.info().dense != Dense::none) return stop;
  const double out = clock_.next_time();
  return direction_ * (stop - out) > 0 ? out : stop;
}

// false: the formulation refuses to continue.
bool Run::correct() {
  const AfterStep what = options_.reformulation->after_step(inner_, advancer_.notes());
  if (what == AfterStep::changed) advancer_.note_correction();
  t_end_ = options_.reformulation->end(inner_).value_or(t_end_);
  return what != AfterStep::refused;
}

// false: the equations mean nothing where the step ended, and so the run ends.
bool Run::check_validity() {
  leave(inner_, user_);
  const std::string sentence = limited_->check_validity(user_, advancer_.notes());
  if (sentence.empty() || outcome_.status != RunStatus::reached_end) return true;
  end_as(RunStatus::refused,
         fmt::format("at t = {:.6g}, in step {}: {}", inner_.t, advancer_.counters().steps, sentence));
  return false;
}

// The last row is the state before the step that ended where the equations mean nothing.
void Run::keep_last_valid(double t0) {
  if (direction_ * (t0 - last_recorded_) <= 0) return;
  State& before = inside(0);
  before.t = t0;
  record(before);
}

// The event of a breakpoint may be found next to it, and no method can take a step of one rounding error from there.
void Run::pass_breakpoints() {
  const double reached = detector_.empty() ? 0 : rounding_of_time(inner_.t);
  for (; next_break_ < breakpoints_.size() && direction_ * (breakpoints_[next_break_] - inner_.t) <= reached;
       ++next_break_)
    advancer_.note_jump();
}

void Run::between_steps() {
  const std::int64_t steps = advancer_.counters().steps;
  if (steps >= options_.max_steps && under_way()) {
    end_as(RunStatus::step_limit,
           fmt::format(
               "at t = {:.6g}: the max number of {} steps was reached; allow more by --max-steps or use larger steps",
               inner_.t, options_.max_steps));
    record_last();
  }
  look_ahead(steps);
  if (recorder_.keeps_checkpoints() && !repeating()) take_checkpoints();
  if (stop_requested() && under_way()) stop();
  if (options_.progress && steps >= next_progress_) report_progress(steps);
}

void Run::look_ahead(std::int64_t steps) {
  if (!std::holds_alternative<AdaptiveStep>(options_.control) || !under_way()) return;
  const std::optional<double> needed = forecast_.look(steps, inner_.t, t_end_);
  if (!needed) return;
  const std::string more = std::isfinite(*needed) ? fmt::format("about {:.2g} more", *needed) : "endlessly many";
  end_as(RunStatus::step_limit,
         fmt::format("at t = {:.6g}: with steps of the present size the run to t = {:g} would take {} steps, and at "
                     "most 1e12 are possible; end it earlier or use a larger rtol",
                     inner_.t, t_end_, more));
  record_last();
}

void Run::report_progress(std::int64_t steps) {
  progress_.look();
  next_progress_ = steps + progress_.amount();
  options_.progress(std::abs((inner_.t - t_start_) / (t_end_ - t_start_)));
}

void Run::end_as(RunStatus status, std::string message) {
  outcome_.status = status;
  outcome_.message = std::move(message);
}

void Run::refuse() {
  if (outcome_.status != RunStatus::reached_end) return;
  end_as(RunStatus::refused, fmt::format("at t = {:.6g}: {}", inner_.t, options_.reformulation->refusal()));
  record_last();
}

void Run::fail(const AdvanceResult& result) {
  if (result.status == AdvanceStatus::step_too_small && crowding_.stands_still()) {
    end_in_crowd(events_[static_cast<std::size_t>(crowding_.source())], inner_.t);
    return record_last();
  }
  const Failure failure = failure_of(result.status, options_.control);
  std::string why = options_.reformulation ? options_.reformulation->failure() : "";
  if (why.empty())
    why = to_text(result.status == AdvanceStatus::step_too_small ? StepStatus::step_too_small : result.step.status);
  if (result.step.status == StepStatus::non_finite) why += fastest_component();
  std::string advice = singular_position(inner_problem(), inner_, start_);
  if (advice.empty() && !options_.reformulation) advice = fastest_unknown(problem_, inner_);
  end_as(failure.status, fmt::format("at t = {:.6g} with h = {:.3g}: {}; {}", inner_.t, result.h_tried, why,
                                     advice.empty() ? failure.advice : advice));
  record_last();
}

// Where a motion blows up, the last state shows which part of it is the fastest.
std::string Run::fastest_component() const {
  const Layout& l = inner_.layout;
  if (l.nv == 0 || !inner_.v().allFinite()) return "";
  Index at = 0;
  const double largest = inner_.v().cwiseAbs().maxCoeff(&at);
  const std::vector<Quantity> names = inner_problem().components();
  const auto place = static_cast<std::size_t>(l.nq + at);
  if (place >= names.size()) return "";
  return fmt::format(" after step {}, where {} = {:.3g} is the largest velocity", advancer_.counters().steps,
                     names[place].name, inner_.v()[at] < 0 ? -largest : largest);
}

void Run::stop() {
  if (recorder_.keeps_checkpoints() && advancer_.counters().steps > last_stored_) checkpoint();
  end_as(RunStatus::stopped, fmt::format("stopped at t = {:.6g}", inner_.t));
}

void Run::finish() {
  outcome_.counters = advancer_.counters();
  if (options_.reformulation) options_.reformulation->account(outcome_.counters);
  stepper_.conclude(inner_.t, advancer_.notes());
  outcome_.notices = advancer_.notes().notices();
  if (outcome_.status != RunStatus::refused)
    for (Notice& drift : drift_of(problem_, user_)) outcome_.notices.push_back(std::move(drift));
  for (std::string text :
       {options_.reformulation ? options_.reformulation->summary() : std::string(), stepper_.summary()})
    if (!text.empty()) outcome_.notices.push_back({.t = inner_.t, .code = "summary", .text = std::move(text)});
  recorder_.finish(outcome_);
  if (&recorder_ != &memory_) solution_.outcome = outcome_;
  for (Observer* observer : options_.observers) observer->end(outcome_);
  if (options_.progress) options_.progress(outcome_.status == RunStatus::reached_end ? 1.0 : -1.0);
}
}  // namespace trill
