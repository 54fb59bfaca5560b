// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/pace.hpp"
#include "driver/consistency.hpp"
#include "driver/event_crowding.hpp"
#include "driver/event_series.hpp"
#include "driver/event_sides.hpp"
#include "driver/measures.hpp"
#include "driver/output_clock.hpp"
#include "driver/step_bounds.hpp"
#include "driver/step_count.hpp"
#include "method/inside_steps.hpp"
#include "method/stage_values.hpp"
#include "problem/leaping.hpp"
#include "problem/switched.hpp"
#include "problem/validity.hpp"
#include "solution/timed_recorder.hpp"

#include <chrono>
#include <optional>

namespace trill {
// One run from its start to its end: steps, events, rows and checkpoints.
class Run {
 public:
  Run(const Problem& problem, Stepper& stepper, State start, double t_end, const DriverOptions& options);
  Solution go();

 private:
  using Clock = std::chrono::steady_clock;

  bool finished() const { return direction_ * (t_end_ - inner_.t) <= 0; }
  bool under_way() const { return outcome_.status == RunStatus::reached_end && !finished(); }
  bool repeating() const { return advancer_.counters().steps < repeat_to_; }
  bool stop_requested() const { return options_.stop && options_.stop->load(std::memory_order_relaxed); }
  const Problem& inner_problem() const { return options_.reformulation ? options_.reformulation->inner() : problem_; }

  void check_dense() const;
  void find_breakpoints();
  RunInfo info() const;
  void begin();
  void enter();  // converts the user's state into that of the run
  void leave(const State& in, State& out) const;
  void take_step();
  std::int64_t batch_size(std::int64_t steps) const;
  bool may_look_inside() const;
  double next_stop() const;
  bool correct();
  bool check_validity();
  void keep_last_valid(double t0);
  void pass_breakpoints();
  void between_steps();
  void look_ahead(std::int64_t steps);  // ends a run that would take too many steps
  void report_progress(std::int64_t steps);
  void count_seconds();
  void finish();

  void end_as(RunStatus status, std::string message);
  void refuse();
  void fail(const AdvanceResult& result);
  std::string fastest_component() const;
  bool leap(const AdvanceResult& result);
  void record_leap(const State& after);
  void stop();
  void stop_at_overflow(const State& s, const Vec& measured);

  bool handle_events(double t0, double h);
  bool stays_between_switches();
  State just_after(double theta, double h);
  void take_turns(std::size_t first, const std::vector<int>& before);
  bool act(const Event& event, double theta, double h, State& after);
  bool restart_behind(std::size_t index, const State& before, const State& after, bool changed);
  bool follow(const ConstraintSwitch& passed);
  bool settle_again();
  bool take_sides();
  void record_moved();
  bool crowds(std::size_t index, double t);
  void end_in_crowd(const Event& event, double t);
  double visible_time() const;
  void check_sides_at_start();
  bool takes_side(std::size_t index);
  bool accumulates(std::size_t index);
  bool is_lost_in_rounding(std::size_t index);
  bool is_slow(std::size_t index, const EventRate& rate) const;
  bool leaves_in_rounding(std::size_t index, double h);
  void step_shorter(const EventDetector::Hit& hit, double t0, double h);
  void end_without_step(std::size_t index);
  void come_to_rest(std::size_t index);
  bool breaks_constraints(const Event& event);
  bool take_in();

  void output_until(double t, double t0, double h);
  void output_step(double t, double slack);
  void record(const State& s);
  void give_row(const State& s, const Vec& measured);
  void record_last();
  State& inside(double theta);
  void keep_dense(double t0, double h, double theta);

  bool keeps_exactly() const { return stepper_.info().saves_memory; }
  void take_checkpoints();
  void reach_restart();
  void mark_restart();
  void checkpoint();
  void resume(Archive& archive);
  void memory(Archive& archive);  // writes or reads everything that is known between two steps
  void formulation_memory(Archive& archive);

  const Problem& problem_;
  ProblemSession session_;
  Stepper& stepper_;
  const DriverOptions& options_;
  double t_start_, t_end_, direction_;
  std::vector<Event> events_;
  EventDetector detector_;
  Advancer advancer_;
  Solution solution_;
  MemoryRecorder memory_;
  Recorder& recorder_;
  TimedRecorder* timed_ = nullptr;  // null: the recorder does not look at the clock
  RunOutcome outcome_;
  std::vector<Notice> notices_;  // notices known before the first step
  State inner_, user_, scratch_, inside_, begin_, start_;
  std::optional<Measures> measures_;
  StepResult last_step_;
  std::vector<double> breakpoints_;
  std::size_t next_break_ = 0;
  StepBounds bounds_;
  StepForecast forecast_;
  OutputClock clock_;
  EventCrowding crowding_;
  EventSides sides_;
  std::vector<EventSeries> series_;                    // for each event
  double shorter_step_ = 0, shorter_step_before_ = 0;  // bounds for the next step and for the last one; 0: none
  std::int64_t checkpoint_every_, last_regular_ = 0, last_stored_ = 0, next_progress_ = 16;
  // A method that cannot save its memory is stored as it was at its last restart. A resumed run repeats the steps made
  // since then; their rows are there already.
  std::string at_restart_;
  std::int64_t rows_since_restart_ = 0, repeat_to_ = 0, rows_to_skip_ = 0;
  // Batches are long enough to make the overhead of the driver negligible and short enough to react to signals quickly.
  Pace batch_{1, {1e-3, 5e-3, 1 << 14}}, progress_{16, {0.05, 0.2, 1 << 24}};
  bool batches_ = false;
  bool random_ = false;                       // the motion is random: rows are recorded at steps only
  const LimitedValidity* limited_ = nullptr;  // null: the equations of the problem hold everywhere
  ControlsInside* controls_inside_ = nullptr;
  const HasStageValues* stages_ = nullptr;  // null: values inside steps are cheap
  const Switched* switched_ = nullptr;      // null: events of the problem are no switches of a circuit
  const Leaping* leaping_ = nullptr;        // null: the problem knows no way over a place without solution
  int leaps_in_a_row_ = 0;
  std::int64_t step_of_last_leap_ = -1;
  double last_recorded_ = 0;
  Clock::time_point counted_until_ = Clock::now();
};
}  // namespace trill
