// SPDX-License-Identifier: BSD-3-Clause
// The values of a run that its check compares.
#pragma once

#include "driver/component_scales.hpp"

namespace trill {
// Judged values along a run: one column per time, its components followed by what the problem measures.
struct JudgedCurve {
  std::vector<double> t;
  Mat values;
  std::vector<bool> jumps = {};  // values that may jump, in one run a little earlier than in another; empty: none
  bool may_jump(Index value) const { return !jumps.empty() && jumps[static_cast<std::size_t>(value)]; }
  Index columns() const { return static_cast<Index>(t.size()); }
  void keep(Index columns);  // the first ones
};
Index judged_values(const Problem& problem);
bool has_switches(const Problem& problem);
// All of them where switches turn; in other circuits the unknowns without charge, whose slopes jump where a device has
// a corner.
std::vector<bool> values_that_jump(const PreparedRun& run);

// The rows of a run: up to two thousand of them, evenly chosen, and the range of all.
struct SampledRows {
  JudgedCurve curve;
  Extent extent;
  double t_last = 0;
  Index rows = 0;
};
SampledRows sample_rows(const PreparedRun& run, const RunOutcome& outcome, const RowSource& rows);

// The hits of events that may change the state. Where formulas switch, a state does not jump.
std::vector<EventHit> hits_of(const PreparedRun& run, const RunOutcome& outcome);
// How often events happened, if that differs in two runs from t_first to t_last; otherwise empty.
std::string difference_in_events(const std::vector<EventHit>& hits, const std::vector<EventHit>& again, double t_first,
                                 double t_last);

// Records the values of a run at the given times.
class CurveRecorder final : public Recorder {
 public:
  CurveRecorder(const std::vector<double>& times, Index components, Index measures);
  void begin(const RunInfo&) override {}
  void row(double t, In y, In measured) override;
  void finish(const RunOutcome&) override {}
  JudgedCurve take();  // up to the last time that was reached

 private:
  JudgedCurve curve_;
  Index components_, measures_, at_ = 0;
};

// Looks at every step of a run: how far each component moves, and how often it turns.
class MotionWatch final : public Observer {
 public:
  explicit MotionWatch(Vec scales);
  void begin(const Problem&, const State& s) override;
  void accepted(const State& s, const StepResult&) override;
  const Extent& extent() const { return extent_; }
  double reached() const { return reached_; }  // the time of the last step
  std::int64_t most_turns(Index* component) const;

 private:
  static constexpr double visible_swing = 0.05;  // of the range
  Vec scales_, turned_at_;
  double reached_ = 0;
  Extent extent_;
  std::vector<signed char> direction_;
  std::vector<std::int64_t> turns_;
};
}  // namespace trill
