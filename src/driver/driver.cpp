// SPDX-License-Identifier: BSD-3-Clause
#include "trill/driver/driver.hpp"

#include "consistency.hpp"
#include "event_crowding.hpp"
#include "failure.hpp"
#include "output_clock.hpp"
#include "pacing.hpp"
#include "run_archive.hpp"
#include "trill/driver/events.hpp"
#include "trill/problem/langevin.hpp"

#include <chrono>
#include <cmath>

#include <fmt/format.h>

namespace trill {
namespace {
using Clock = std::chrono::steady_clock;
constexpr double at_the_start = 1e-12;  // of a step: rounding of the time on which it began

// Switches of formulas are passed over where a method gives no values inside its steps.
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

class Run {
 public:
  Run(const Problem& problem, Stepper& stepper, State start, double t_end, const DriverOptions& options)
      : problem_(problem),
        stepper_(stepper),
        options_(options),
        t_end_(t_end),
        direction_(t_end < start.t ? -1 : 1),
        events_(events_of(problem, stepper, options)),
        detector_(events_),
        advancer_(stepper, options.control, options.newton_retries, options.seed),
        memory_(solution_),
        recorder_(options.recorder ? *options.recorder : memory_),
        user_(std::move(start)),
        clock_(options.output, user_.t, direction_) {
    notices_ = options.notices;
    for (Notice& notice : settle_start(problem, user_, t_end)) notices_.push_back(std::move(notice));
    check_output(options.output, user_.t, direction_);
    check_dense();
    t_start_ = user_.t;
    for (const double t : problem.breakpoints(std::min(t_start_, t_end), std::max(t_start_, t_end)))
      if (t != t_start_ && t != t_end) breakpoints_.push_back(t);
    std::sort(breakpoints_.begin(), breakpoints_.end());
    breakpoints_.erase(std::unique(breakpoints_.begin(), breakpoints_.end()), breakpoints_.end());
    if (direction_ < 0) std::reverse(breakpoints_.begin(), breakpoints_.end());
  }

  Solution go() {
    begin();
    counted_until_ = Clock::now();
    while (outcome_.status == RunStatus::reached_end && !finished()) take_step();
    count_seconds();
    finish();
    problem_.hold_formulas(false);
    return std::move(solution_);
  }

 private:
  bool finished() const { return direction_ * (t_end_ - inner_.t) <= 0; }

  void count_seconds() {
    const auto now = Clock::now();
    advancer_.counters().seconds += std::chrono::duration<double>(now - counted_until_).count();
    counted_until_ = now;
  }

  void check_dense() const {
    if (stepper_.info().dense != Dense::none) return;
    if (!events_.empty())
      throw UsageError(stepper_.info().name + " gives no values inside its steps, so events cannot be found with it");
  }

  void begin() {
    problem_.hold_formulas(stepper_.info().dense != Dense::none);
    problem_.enter(user_);
    advancer_.notes().restore(notices_);
    if (options_.reformulation)
      options_.reformulation->enter(user_, inner_, advancer_.notes());
    else
      inner_ = user_;
    advancer_.start(inner_, t_end_);
    start_ = inner_;
    leave(inner_);
    scratch_ = inner_;
    inside_ = user_;
    measures_.emplace(problem_, options_.reformulation, stepper_);
    RunInfo info = options_.info;
    info.layout = user_.layout;
    info.time_unit = problem_.time_unit();
    info.components = problem_.components();
    info.quantities = measures_->quantities();
    recorder_.begin(info);
    detector_.start(user_);
    for (Observer* observer : options_.observers) observer->begin(problem_, user_);
    if (options_.resume) {
      load_checkpoint(*options_.resume);
    } else {
      record(user_);
    }
    last_checkpoint_ = advancer_.counters().steps;
    batches_ = detector_.empty() && options_.observers.empty() && !options_.reformulation && !options_.dense &&
               stepper_.info().dense != Dense::none;
  }

  void take_step() {
    const std::int64_t before = advancer_.counters().steps, batch = batch_size(before);
    if (!detector_.empty()) begin_ = inner_;
    const AdvanceResult result = batch > 1 ? advancer_.several(inner_, next_stop(), clock_.next_time(), batch)
                                           : advancer_.one(inner_, next_stop());
    if (batches_ && batch == batch_.amount()) batch_.look();
    if (result.status != AdvanceStatus::ok) return fail(result);
    clock_.pass_steps(advancer_.counters().steps - before - 1);
    last_step_ = result.step;
    const double t0 = result.t_begin, h = inner_.t - t0;
    const bool goes_on = !options_.reformulation || correct();
    const bool truncated = !detector_.empty() && handle_events(t0, h);
    if (!truncated) {
      if (options_.dense) keep_dense(t0, h, 1);
      output_until(inner_.t, t0, h);
    }
    if (!goes_on) refuse();
    pass_breakpoints();
    for (Observer* observer : options_.observers) {
      leave(inner_);
      observer->accepted(user_, last_step_);
    }
    between_steps();
  }

  // false: the formulation refuses to go on.
  bool correct() {
    const AfterStep what = options_.reformulation->after_step(inner_, advancer_.notes());
    if (what == AfterStep::changed) advancer_.note_correction();
    return what != AfterStep::refused;
  }

  void refuse() {
    if (outcome_.status != RunStatus::reached_end) return;
    outcome_.status = RunStatus::refused;
    outcome_.message = fmt::format("at t = {:.6g}: {}", inner_.t, options_.reformulation->refusal());
    record_last();
  }

  // Steps that may be taken at once: nobody looks at them one by one, and nothing falls due among them.
  std::int64_t batch_size(std::int64_t steps) const {
    if (!batches_) return 1;
    std::int64_t most = std::min({batch_.amount(), options_.max_steps - steps, clock_.steps_left()});
    if (recorder_.keeps_checkpoints()) most = std::min(most, options_.checkpoint_every - (steps - last_checkpoint_));
    return most;
  }

  void between_steps() {
    const std::int64_t steps = advancer_.counters().steps;
    if (steps >= options_.max_steps && !finished() && outcome_.status == RunStatus::reached_end) {
      outcome_.status = RunStatus::step_limit;
      record_last();
      outcome_.message = fmt::format("at t = {:.6g}: the limit of {} steps was reached", inner_.t, options_.max_steps);
    }
    if (recorder_.keeps_checkpoints() && steps - last_checkpoint_ >= options_.checkpoint_every) {
      last_checkpoint_ = steps;
      if (!stepper_.info().saves_memory) advancer_.note_restart();
      if (recorder_.wants_checkpoint() || stop_requested()) checkpoint();
    }
    // A method that cannot save its memory restarts only at regular checkpoints; an extra one would change its numbers.
    const bool may_stop = !recorder_.keeps_checkpoints() || stepper_.info().saves_memory || steps == last_checkpoint_;
    if (may_stop && stop_requested() && outcome_.status == RunStatus::reached_end && !finished()) stop();
    if (options_.progress && steps >= next_progress_) report_progress(steps);
  }

  bool stop_requested() const { return options_.stop && options_.stop->load(std::memory_order_relaxed); }

  void stop() {
    if (recorder_.keeps_checkpoints() && advancer_.counters().steps != last_checkpoint_) checkpoint();
    outcome_.status = RunStatus::stopped;
    outcome_.message = fmt::format("stopped at t = {:.6g}", inner_.t);
  }

  void report_progress(std::int64_t steps) {
    progress_.look();
    next_progress_ = steps + progress_.amount();
    options_.progress(std::abs((inner_.t - t_start_) / (t_end_ - t_start_)));
  }

  const Problem& inner_problem() const { return options_.reformulation ? options_.reformulation->inner() : problem_; }

  double next_stop() const {
    double stop = t_end_;
    if (next_break_ < breakpoints_.size()) stop = breakpoints_[next_break_];
    if (stepper_.info().dense == Dense::none) {
      const double out = clock_.next_time();
      if (direction_ * (stop - out) > 0) stop = out;
    }
    return stop;
  }

  void pass_breakpoints() {
    for (; next_break_ < breakpoints_.size() && direction_ * (breakpoints_[next_break_] - inner_.t) <= 0; ++next_break_)
      advancer_.note_jump();
  }

  // Rows for every output time up to t inside the step that began at t0.
  void output_until(double t, double t0, double h) {
    if (clock_.counts_steps()) {
      clock_.pass_steps(1);
      if (clock_.steps_left() > 0 && !finished()) return;
      clock_.restart_steps();
      leave(inner_);
      record(user_);
      return;
    }
    // Grid points are multiples of dt, rounded: a point that is the step's end up to rounding belongs to this step.
    const double slack = landing_slack(h, t);
    for (double out = clock_.next_time(); direction_ * (out - t) <= slack; out = clock_.next_time()) {
      clock_.pass_time();
      if (std::abs(out - t) <= slack && t == inner_.t) {
        leave(inner_);
        if (!finished()) user_.t = out;
        record(user_);
      } else {
        State& between = inside((out - t0) / h);
        between.t = out;
        record(between);
      }
    }
    if (t == inner_.t && finished()) record_last();
  }

  void record_last() {
    if (last_recorded_ == inner_.t) return;
    leave(inner_);
    record(user_);
  }

  // The user's state inside the last step.
  State& inside(double theta) {
    // An event at the start of a step belongs to a state that was there, on its constraints; an interpolant comes near.
    if (theta <= at_the_start && !detector_.empty()) {
      scratch_.y = begin_.y;
      scratch_.t = begin_.t;
    } else {
      stepper_.interpolate(theta, scratch_.y);
      scratch_.t = inner_.t - (1 - theta) * last_step_.h_taken;
    }
    scratch_.mode = inner_.mode;
    if (!options_.reformulation) {
      inside_.t = scratch_.t;
      inside_.y = scratch_.y;
      inside_.mode = scratch_.mode;
    } else {
      options_.reformulation->leave(scratch_, inside_);
    }
    return inside_;
  }

  // True: the state was changed at an event, and the step ends there.
  bool handle_events(double t0, double h) {
    crowding_.passed(h);
    double from = 0;
    const EventDetector::Interpolant at = [this](double theta) -> const State& { return inside(theta); };
    while (const auto hit = detector_.first(from, h, t0, at)) {
      State before = inside(hit->theta);
      output_before(before.t, t0, h);
      if (options_.reformulation) inside(hit->theta);  // output has moved on to other states
      const Event& event = events_[hit->event];
      outcome_.events.push_back({event.name, before.t});
      State after = before;
      const bool go_on = event.action && event.action(after);
      const bool changed = after.y != before.y || after.mode != before.mode;
      if (go_on && !changed && !event.restarts) {
        from = hit->theta;
        continue;
      }
      if (options_.dense) keep_dense(t0, h, hit->theta);
      if (last_recorded_ != before.t) record(before);
      detector_.leave(before);
      // A method may have drifted off them by its tolerance, which is not the event's doing.
      const bool was_on = leaves_constraints(problem_, before).empty();
      const ConstraintSwitch passed(problem_, before);
      user_ = after;
      problem_.enter(user_);
      if (event.restarts && !follow(passed)) return true;
      if (event.restarts ? user_.y != after.y : changed) record(user_);
      if (crowds(event, before.t) || (was_on && breaks_constraints(event, changed)) || !take_in(State(user_)))
        return true;
      advancer_.note_jump();
      detector_.restart(user_, hit->event);
      if (!go_on) {
        outcome_.status = RunStatus::event;
        outcome_.message.clear();
      }
      return true;
    }
    if (detector_.left_a_switch()) {
      leave(inner_);
      problem_.enter(user_);
    }
    return false;
  }

  bool crowds(const Event& event, double t) {
    if (!crowding_.adds(event, t)) return false;
    outcome_.status = RunStatus::refused;
    outcome_.message = fmt::format(
        "at t = {:.6g}: '{}' happens again and again at ever shorter intervals; {}", t, event.name,
        event.restarts ? "the motion is held at a jump of the forces: make them change smoothly there, as tanh does"
                       : "let it end the run when the motion has come to rest there");
    return true;
  }

  // The user's state moves on with constraints behind a switch; false: it cannot.
  bool follow(const ConstraintSwitch& passed) {
    const std::string complaint = passed.follow(user_, advancer_.notes());
    if (complaint.empty()) return true;
    outcome_.status = RunStatus::refused;
    outcome_.message = fmt::format("at t = {:.6g}: {}", user_.t, complaint);
    return false;
  }

  bool breaks_constraints(const Event& event, bool changed) {
    if (!changed || event.restarts) return false;
    const std::string complaint = leaves_constraints(problem_, user_);
    if (complaint.empty()) return false;
    outcome_.status = RunStatus::refused;
    outcome_.message = fmt::format("at t = {:.6g}, after event '{}': {}; an event must leave both on the constraints",
                                   user_.t, event.name, complaint);
    return true;
  }

  // The user's state after an event becomes that of the run; false: the formulation cannot go on from it.
  bool take_in(const State& after) {
    if (!options_.reformulation) {
      inner_ = after;
      return true;
    }
    try {
      options_.reformulation->enter(after, inner_, advancer_.notes());
      return true;
    } catch (const UsageError& e) {
      outcome_.status = RunStatus::refused;
      outcome_.message = fmt::format("at t = {:.6g}, after an event: {}", after.t, e.what());
      return false;
    }
  }

  void output_before(double t, double t0, double h) {
    if (!clock_.counts_steps()) output_until(t, t0, h);
  }

  void leave(const State& in) {
    if (options_.reformulation) {
      options_.reformulation->leave(in, user_);
    } else {
      user_.t = in.t;
      user_.y = in.y;
      if (!in.mode.empty()) user_.mode = in.mode;
    }
  }

  void record(const State& s) {
    const Vec& measured = measures_->at(s, last_step_);
    last_recorded_ = s.t;
    if (s.y.allFinite() && measured.allFinite())
      recorder_.row(s.t, s.y, measured);
    else if (outcome_.status == RunStatus::reached_end)
      stop_at_overflow(s, measured);
  }

  void stop_at_overflow(const State& s, const Vec& measured) {
    const Failure failure = failure_of(AdvanceStatus::non_finite, options_.control);
    outcome_.status = failure.status;
    outcome_.message = fmt::format("at t = {:.6g}: {} became infinite or not a number; {}", s.t,
                                   first_overflow(problem_, *measures_, s, measured), failure.advice);
  }

  // The part [0, theta] of the last step.
  void keep_dense(double t0, double h, double theta) {
    const int degree = stepper_.info().dense_degree;
    Solution::Segment segment{t0, theta * h, Mat(user_.y.size(), degree + 1)};
    for (int i = 0; i <= degree; ++i) segment.nodes.col(i) = inside(theta * i / degree).y;
    solution_.segments.push_back(std::move(segment));
  }

  void fail(const AdvanceResult& result) {
    const Failure failure = failure_of(result.status, options_.control);
    outcome_.status = failure.status;
    const char* why =
        to_text(result.status == AdvanceStatus::step_too_small ? StepStatus::step_too_small : result.step.status);
    record_last();
    const std::string singular = singular_position(inner_problem(), inner_, start_);
    outcome_.message = fmt::format("at t = {:.6g} with h = {:.3g}: {}; {}", inner_.t, result.h_tried, why,
                                   singular.empty() ? failure.advice : singular);
  }

  // Everything of the run itself that a checkpoint holds; `visit` writes or reads.
  template <class Visit>
  void own_fields(Visit visit) {
    visit(inner_.t);
    visit(inner_.y);
    visit(inner_.mode);
    clock_.fields(visit);
    visit(last_recorded_);
    visit(next_break_);
    visit(last_step_);
    crowding_.fields(visit);
  }

  void checkpoint() {
    Archive archive;
    count_seconds();
    own_fields([&](const auto& field) { archive.write(field); });
    if (options_.reformulation) options_.reformulation->save(archive);
    detector_.save(archive);
    advancer_.save(archive);
    stepper_.save(archive);
    save(archive, outcome_.events);
    save(archive, advancer_.notes().notices());
    recorder_.checkpoint(archive);
  }

  void load_checkpoint(Archive& archive) {
    own_fields([&](auto& field) { archive.read(field); });
    if (options_.reformulation) options_.reformulation->load(archive);
    leave(inner_);
    problem_.enter(user_);  // before the method, which may ask it again for what it keeps
    detector_.load(archive);
    advancer_.load(archive);
    stepper_.load(archive);
    load(archive, outcome_.events);
    std::vector<Notice> notices;
    load(archive, notices);
    advancer_.notes().restore(notices);
  }

  void finish() {
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
    if (&recorder_ != &memory_) {
      solution_.outcome = outcome_;
    }
    for (Observer* observer : options_.observers) observer->end(outcome_);
    if (options_.progress) options_.progress(outcome_.status == RunStatus::reached_end ? 1.0 : -1.0);
  }

  const Problem& problem_;
  Stepper& stepper_;
  const DriverOptions& options_;
  double t_start_ = 0, t_end_, direction_;
  std::vector<Event> events_;
  EventDetector detector_;
  Advancer advancer_;
  Solution solution_;
  MemoryRecorder memory_;
  Recorder& recorder_;
  RunOutcome outcome_;
  std::vector<Notice> notices_;  // what is known before the first step
  State inner_, user_, scratch_, inside_, begin_, start_;
  std::optional<Measures> measures_;
  StepResult last_step_;
  std::vector<double> breakpoints_;
  std::size_t next_break_ = 0;
  OutputClock clock_;
  EventCrowding crowding_;
  std::int64_t last_checkpoint_ = 0, next_progress_ = 16;
  // Batches are long enough that the way through the driver costs nothing, short enough that signals are not late.
  Pace batch_{1, {1e-3, 5e-3, 1 << 14}}, progress_{16, {0.05, 0.2, 1 << 24}};
  bool batches_ = false;
  double last_recorded_ = 0;
  Clock::time_point counted_until_ = Clock::now();
};
}  // namespace

Solution integrate(const Problem& problem, Stepper& stepper, State start, double t_end, const DriverOptions& options) {
  return Run(problem, stepper, std::move(start), t_end, options).go();
}
}  // namespace trill
