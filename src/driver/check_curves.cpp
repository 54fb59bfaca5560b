// SPDX-License-Identifier: BSD-3-Clause
#include "driver/check_curves.hpp"

#include <algorithm>
#include <cmath>
#include <set>

#include <fmt/format.h>

namespace trill {
namespace {
constexpr Index most_times = 2000;

// Another run meets an event a little earlier or later. Between the two times its state is before the event and the
// other behind it, so times that close to an event are not compared.
class NearEvents {
 public:
  explicit NearEvents(std::vector<EventHit> hits) : hits_(std::move(hits)) {}
  // To be called with times in their order.
  bool contains(double t, double first, double last) {
    while (next_ < hits_.size() && std::abs(hits_[next_].t - first) < std::abs(t - first)) ++next_;
    const double before = next_ > 0 ? hits_[next_ - 1].t : first, after = next_ < hits_.size() ? hits_[next_].t : last;
    const double near = close * std::abs(after - before);
    return (next_ > 0 && std::abs(t - before) < near) || (next_ < hits_.size() && std::abs(after - t) < near);
  }

 private:
  static constexpr double close = 0.01;  // of the time between two events
  std::vector<EventHit> hits_;
  std::size_t next_ = 0;
};
}  // namespace

void Curve::keep(Index columns) {
  t.resize(static_cast<std::size_t>(columns));
  values.conservativeResize(Eigen::NoChange, columns);
}

Index judged_values(const Problem& problem) {
  return problem.layout().size() + static_cast<Index>(problem.quantities().size());
}

std::vector<EventHit> hits_of(const PreparedRun& run, const RunOutcome& outcome) {
  std::set<std::string> switches;
  for (const EventInfo& info : run.problem->events())
    if (info.restarts) switches.insert(info.name);
  std::vector<EventHit> hits;
  for (const EventHit& hit : outcome.events)
    if (!switches.contains(hit.name)) hits.push_back(hit);
  return hits;
}

// Near the end of a run, and where events accumulate, one run may be a little ahead, so the count of the first run need
// only lie between two counts of the second.
std::string difference_in_events(const std::vector<EventHit>& hits, const std::vector<EventHit>& again, double t_first,
                                 double t_last) {
  const auto count = [&](const std::vector<EventHit>& all, const std::string& name, double share) {
    const double until = share * std::abs(t_last - t_first);
    return std::count_if(all.begin(), all.end(),
                         [&](const EventHit& hit) { return hit.name == name && std::abs(hit.t - t_first) <= until; });
  };
  std::set<std::string> names;
  for (const auto* all : {&hits, &again})
    for (const EventHit& hit : *all) names.insert(hit.name);
  for (const std::string& name : names) {
    const auto found = count(hits, name, 0.99), least = count(again, name, 0.98), most = count(again, name, 1);
    if (found < least || found > most)
      return fmt::format("Event '{}' happened {} times in this run, but {} times in the run that checked it.", name,
                         count(hits, name, 1), most);
  }
  return "";
}

SampledRows sample_rows(const PreparedRun& run, const RunOutcome& outcome, const RowSource& rows) {
  const Index n = run.start.y.size(), size = judged_values(*run.problem), count = rows.rows();
  SampledRows s{{{}, Mat(size, std::min(count, most_times + 1))}, Extent(size), 0, count};
  auto& [times, columns] = s.curve;
  NearEvents near(hits_of(run, outcome));
  const Index stride = std::max<Index>(1, (count + most_times - 1) / most_times);
  Vec row(size);
  Index i = 0;
  double last = std::nan("");
  rows.visit([&](double t, const double* y, const double* measured) {
    row.head(n) = Eigen::Map<const Vec>(y, n);
    row.tail(size - n) = Eigen::Map<const Vec>(measured, size - n);
    s.extent.look(row);
    s.t_last = t;
    const bool jump = t == last;  // both sides of an event have this time, so it is not used for the comparison
    last = t;
    if (jump && !times.empty() && times.back() == t) times.pop_back();
    if (!jump && (i % stride == 0 || i + 1 == count) && !near.contains(t, *run.plan.from, *run.plan.to)) {
      columns.col(static_cast<Index>(times.size())) = row;
      times.push_back(t);
    }
    ++i;
  });
  s.curve.keep(s.curve.columns());
  return s;
}

CurveRecorder::CurveRecorder(const std::vector<double>& times, Index components, Index measures)
    : curve_{times, Mat(components + measures, static_cast<Index>(times.size()))},
      components_(components),
      measures_(measures) {}

void CurveRecorder::row(double t, In y, In measured) {
  const double direction = curve_.t.back() >= curve_.t.front() ? 1 : -1;
  const auto due = [&] { return curve_.t[static_cast<std::size_t>(at_)]; };
  while (at_ < curve_.columns() && direction * (due() - t) < 0) curve_.values.col(at_++).setConstant(std::nan(""));
  if (at_ == curve_.columns() || due() != t) return;
  curve_.values.col(at_).head(components_) = y;
  curve_.values.col(at_++).tail(measures_) = measured.head(measures_);
}

Curve CurveRecorder::take() {
  curve_.keep(at_);
  return std::move(curve_);
}

MotionWatch::MotionWatch(Vec scales)
    : scales_(std::move(scales)),
      extent_(scales_.size()),
      direction_(static_cast<std::size_t>(scales_.size()), 0),
      turns_(static_cast<std::size_t>(scales_.size()), 0) {}

void MotionWatch::begin(const Problem&, const State& s) {
  extent_.look(s.y);
  reached_ = s.t;
  turned_at_ = s.y;
}

// A component turns when it has come back from its last extreme value by a visible part of its range.
void MotionWatch::accepted(const State& s, const StepResult&) {
  extent_.look(s.y);
  reached_ = s.t;
  for (Index i = 0; i < s.y.size(); ++i) {
    signed char& direction = direction_[static_cast<std::size_t>(i)];
    const double moved = s.y[i] - turned_at_[i];
    if (direction == 0 ? moved != 0 : direction * moved > 0) {
      if (direction == 0) direction = moved > 0 ? 1 : -1;
      turned_at_[i] = s.y[i];
    } else if (direction != 0 && std::abs(moved) > visible_swing * scales_[i]) {
      direction = static_cast<signed char>(-direction);
      turned_at_[i] = s.y[i];
      ++turns_[static_cast<std::size_t>(i)];
    }
  }
}

std::int64_t MotionWatch::most_turns(Index* component) const {
  const auto most = std::max_element(turns_.begin(), turns_.end());
  if (most == turns_.end()) return 0;
  *component = most - turns_.begin();
  return *most;
}
}  // namespace trill
