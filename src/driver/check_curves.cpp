// SPDX-License-Identifier: BSD-3-Clause
#include "driver/check_curves.hpp"

#include "problem/charge_split.hpp"
#include "trill/problem/circuit.hpp"
#include "trill/problem/mechanical.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
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

void JudgedCurve::keep(Index columns) {
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

bool has_switches(const Problem& problem) {
  const std::vector<EventInfo> events = problem.events();
  return std::any_of(events.begin(), events.end(), [](const EventInfo& info) { return info.restarts; });
}

// What forces and rates drive goes on without a jump where they switch; only a moving constraint can change its speed
// at once. In circuits with switches edges are so short that they count as jumps.
std::vector<bool> values_that_jump(const PreparedRun& run) {
  const Problem& problem = *run.problem;
  const auto* circuit = dynamic_cast<const CircuitProblem*>(&problem);
  std::vector<bool> jumps(static_cast<std::size_t>(judged_values(problem)), true);
  if (has_switches(problem)) {
    const Layout layout = problem.layout();
    const MechanicalProblem* mechanics = mechanics_of(problem);
    const bool kicked = mechanics && mechanics->constraints() && mechanics->constraints()->moving();
    const Index smooth = circuit ? 0 : kicked ? layout.nq : layout.size() - layout.nl;
    std::fill_n(jumps.begin(), smooth, false);
    return jumps;
  }
  if (!circuit) return {};
  MatrixSlot dcharge = circuit->jacobian_pattern(), dcurrent = dcharge;
  circuit->jacobians(run.start.t, run.start.y, dcharge, dcurrent);
  const std::vector<bool> charged = charged_unknowns(dcharge);
  std::transform(charged.begin(), charged.end(), jumps.begin(), std::logical_not<>());
  return jumps;
}

namespace {
// Which rows are compared: every so many, as long as the motion is smooth. At the edges of switches two good runs
// differ by the whole edge, because one of them is a little earlier, and values between two steps are not known there.
// So the times are taken at which every run ends a step, if there are enough, and otherwise rows after long steps.
class RowChoice {
 public:
  enum class Use { none, add, replace };
  RowChoice(const PreparedRun& run, Index rows) : has_edges_(has_switches(*run.problem)) {
    stride_ = every(rows);
    if (!has_edges_) return;
    const auto* steps = std::get_if<EveryStep>(&run.plan.output);
    if (steps && steps->stride == 1)
      marks_ = run.problem->breakpoints(std::min(*run.plan.from, *run.plan.to), std::max(*run.plan.from, *run.plan.to));
    std::sort(marks_.begin(), marks_.end());
    if (*run.plan.to < *run.plan.from) std::reverse(marks_.begin(), marks_.end());
    rounding_ = 1e-13 * std::abs(*run.plan.to - *run.plan.from);
    if (static_cast<Index>(marks_.size()) >= least_marks)
      stride_ = every(static_cast<Index>(marks_.size())) | 1;  // odd: a cycle has an even number of them
    else if (rows >= least_marks * rows_of_cycle)
      stride_ = std::max(stride_, rows_of_cycle);
  }

  Use look(Index i, double t, double step, bool last) {
    if (static_cast<Index>(marks_.size()) >= least_marks)
      return is_mark(t) && ++seen_ % stride_ == 0 ? Use::add : Use::none;
    if (i % stride_ == 0 || (!has_edges_ && last)) {
      longest_ = step;
      return Use::add;
    }
    if (!has_edges_ || !(step > longest_)) return Use::none;
    longest_ = step;
    return Use::replace;
  }

 private:
  static constexpr Index rows_of_cycle = 12, least_marks = 100;
  static Index every(Index count) { return std::max<Index>(1, (count + most_times - 1) / most_times); }

  // To be called with times in their order.
  bool is_mark(double t) {
    const double direction = marks_.back() >= marks_.front() ? 1 : -1;
    while (next_ < marks_.size() && direction * (t - marks_[next_]) > rounding_) ++next_;
    return next_ < marks_.size() && std::abs(t - marks_[next_]) <= rounding_;
  }

  bool has_edges_;
  Index stride_ = 1, seen_ = 0;
  std::vector<double> marks_;
  std::size_t next_ = 0;
  double longest_ = 0, rounding_ = 0;
};
}  // namespace

SampledRows sample_rows(const PreparedRun& run, const RunOutcome& outcome, const RowSource& rows) {
  const Index n = run.start.y.size(), size = judged_values(*run.problem), count = rows.rows();
  SampledRows s{{{}, Mat(size, std::min(count, most_times + 1))}, Extent(size), 0, count};
  auto& times = s.curve.t;
  auto& columns = s.curve.values;
  NearEvents near(hits_of(run, outcome));
  s.curve.jumps = values_that_jump(run);
  RowChoice choice(run, count);
  Vec row(size);
  Index i = 0;
  double last = std::nan("");
  rows.visit([&](double t, const double* y, const double* measured) {
    row.head(n) = Eigen::Map<const Vec>(y, n);
    row.tail(size - n) = Eigen::Map<const Vec>(measured, size - n);
    s.extent.look(row);
    s.t_last = t;
    const bool jump = t == last;  // both sides of an event have this time, so it is not used for the comparison
    const double step = std::isnan(last) ? 0 : std::abs(t - last);
    last = t;
    if (jump && !times.empty() && times.back() == t) times.pop_back();
    if (!jump && !near.contains(t, *run.plan.from, *run.plan.to)) {
      const RowChoice::Use use = choice.look(i, t, step, i + 1 == count);
      if (use == RowChoice::Use::replace && !times.empty()) times.pop_back();
      if (use != RowChoice::Use::none) {
        columns.col(static_cast<Index>(times.size())) = row;
        times.push_back(t);
      }
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

JudgedCurve CurveRecorder::take() {
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
