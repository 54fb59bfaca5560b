// SPDX-License-Identifier: BSD-3-Clause
#include "driver/cycle_window.hpp"

#include "driver/build.hpp"
#include "problem/switched.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

namespace trill {
namespace {
constexpr std::size_t most_starts = 4000;
constexpr double nearly_whole_cycles = 1e-6;
constexpr int even_phases = 96;           // between the corners of sources
constexpr std::size_t most_corners = 64;  // of a cycle that get a phase of their own
constexpr Index most_shown_components = 24;
constexpr double bytes_of_value = 4 * 4.0 / 3;  // in base64
constexpr double same_phase = 1e-9;

// The last state that a run accepted, with the positions of its switches.
class LastState final : public Observer {
 public:
  void begin(const Problem&, const State& start) override { state = start; }
  void accepted(const State& s, const StepResult&) override { state = s; }
  State state;
};

std::vector<double> phases_of(const Problem& problem, double t, double period) {
  std::vector<double> phases;
  for (int k = 0; k <= even_phases; ++k) phases.push_back(static_cast<double>(k) / even_phases);
  const std::vector<double> corners = problem.breakpoints(t, t + period);
  if (corners.size() <= most_corners)
    for (const double corner : corners) phases.push_back(std::clamp((corner - t) / period, 0.0, 1.0));
  std::sort(phases.begin(), phases.end());
  phases.erase(std::unique(phases.begin(), phases.end(), [](double a, double b) { return b - a < same_phase; }),
               phases.end());
  phases.back() = 1;
  return phases;
}

// The plan of a run that follows every cycle, where `followed` is that of an envelope.
RunPlan plan_of_every_cycle(const RunPlan& followed, double from, double to) {
  RunPlan plan;
  plan.model = followed.model;
  plan.parameters = followed.parameters;
  plan.seed = followed.seed;
  plan.max_steps = followed.max_steps;
  plan.from = from;
  plan.to = to;
  return plan;
}

// The positions of switches are not recorded. The unknowns determine them, except between the thresholds of a switch;
// there the switch is as an earlier cycle has left it.
State start_of(const Problem& problem, const CycleStart& at, const std::vector<int>& mode_before) {
  State start(problem.layout(), at.t);
  start.y = at.y;
  start.mode = mode_before;
  if (const auto* switched = dynamic_cast<const Switched*>(&problem)) switched->turn_switches(start.y, start.mode);
  return start;
}

// Every cycle between two times, as the model is run by default.
PreparedRun every_cycle(const PreparedRun& followed, const RunDefaults& defaults, const State& start, double to,
                        Output output) {
  RunPlan plan = plan_of_every_cycle(followed.plan, start.t, to);
  plan.native = Native::never;
  plan.output = std::move(output);
  PreparedRun run = prepare(plan, followed.problem->clone(), defaults);
  run.start = start;
  return run;
}

// One cycle at the given phases. false: it cannot be computed. mode: of the switches; at the end those of its end.
bool sample_cycle(const PreparedRun& run, const RunDefaults& defaults, const CycleShapes::Cycle& cycle,
                  const CycleStart& at, std::vector<int>& mode, CycleShapes& shapes) {
  const double to = cycle.t + cycle.period;
  Times times;
  for (const double phase : shapes.phases)
    if (phase > 0) times.t.push_back(phase < 1 ? cycle.t + phase * cycle.period : to);
  const State start = start_of(*run.problem, at, mode);
  PreparedRun one = every_cycle(run, defaults, start, to, times);
  LastState last;
  one.options.observers.push_back(&last);
  const Solution solution = one.run();
  if (!solution.ok() || solution.rows() < static_cast<Index>(times.t.size())) return false;
  mode = last.state.mode;
  // A row at the start may be recorded or not.
  const Index rows = solution.rows(), extra = rows - static_cast<Index>(times.t.size());
  const std::size_t before = shapes.values.size(), phases = shapes.phases.size();
  shapes.values.resize(before + shapes.size_of_cycle());
  for (std::size_t c = 0; c < shapes.components.size(); ++c) {
    const Index of = shapes.components[c];
    shapes.values[before + c * phases] = static_cast<float>(start.y[of]);
    for (std::size_t k = 1; k < phases; ++k)
      shapes.values[before + c * phases + k] = static_cast<float>(solution.y()(of, extra + static_cast<Index>(k) - 1));
  }
  return true;
}

void check_window(const TimeWindow& window) {
  if (!(window.from < window.to && std::isfinite(window.from) && std::isfinite(window.to)))
    throw UsageError(
        fmt::format("a window must end after it begins, which {:g}:{:g} does not", window.from, window.to));
}

void tell_window(PreparedRun& run, double from, const std::string& way_there) {
  run.choice = fmt::format("{} t = {:g}, where the window begins; from there on every cycle is computed by {}",
                           way_there, from, way_of(run.options.info));
  run.options.notices.push_back({.t = from, .code = "window", .text = run.choice, .severity = Severity::info});
}
}  // namespace

// What a step over less than a cycle reaches is not the start of one. Two rows at one time are both sides of a jump.
std::vector<CycleStart> cycle_starts(const RunInfo& info, const RowSource& rows) {
  const auto counted = std::find_if(info.quantities.begin(), info.quantities.end(),
                                    [](const Quantity& q) { return q.kind == QuantityKind::cycles; });
  const auto output = info.settings.find("output");
  if (counted == info.quantities.end() || output == info.settings.end() || output->second != every_step_text) return {};
  const auto place = counted - info.quantities.begin();
  const Index size = info.layout.size();
  const std::size_t stride = static_cast<std::size_t>(rows.rows()) / most_starts + 1;
  std::vector<CycleStart> starts;
  double number = 0, last = std::numeric_limits<double>::quiet_NaN();
  std::size_t met = 0;
  rows.visit([&](double t, const double* y, const double* measured) {
    const bool jumped = t == last, first = std::isnan(last);
    last = t;
    const double cycles = first || jumped ? 0 : measured[place];
    number += cycles;
    const bool whole = cycles > 0.5 && std::abs(cycles - std::round(cycles)) < nearly_whole_cycles;
    if (jumped && !starts.empty() && starts.back().t == t) starts.back().y = Eigen::Map<const Vec>(y, size);
    if ((first || whole) && met++ % stride == 0) starts.push_back({number, t, Eigen::Map<const Vec>(y, size)});
  });
  return starts;
}

CycleShapes find_cycle_shapes(const PreparedRun& run, const RunDefaults& defaults,
                              const std::vector<CycleStart>& starts, double bytes) {
  CycleShapes shapes;
  if (starts.size() < 2) return shapes;
  const auto period_at = [&](std::size_t k) {
    const bool is_last = k + 1 == starts.size();
    const CycleStart &a = starts[is_last ? k - 1 : k], &b = starts[is_last ? k : k + 1];
    return (b.t - a.t) / (b.number - a.number);
  };
  shapes.phases = phases_of(*run.problem, starts[0].t, period_at(0));
  for (Index c = 0; c < std::min(run.problem->layout().size(), most_shown_components); ++c)
    shapes.components.push_back(c);
  const double fit = bytes / (bytes_of_value * static_cast<double>(shapes.size_of_cycle()));
  const std::size_t wanted = std::min(starts.size(), static_cast<std::size_t>(std::max(fit, 2.0)));
  std::vector<int> mode = run.start.mode;
  for (std::size_t j = 0; j < wanted; ++j) {
    const std::size_t k = j * (starts.size() - 1) / (wanted - 1);
    const CycleShapes::Cycle cycle{starts[k].number, starts[k].t, period_at(k)};
    if (sample_cycle(run, defaults, cycle, starts[k], mode, shapes)) shapes.cycles.push_back(cycle);
  }
  return shapes;
}

WindowRun prepare_window(const RunPlan& plan, const TimeWindow& window, const std::atomic<bool>* stop) {
  check_window(window);
  RunPlan until = plan;
  until.to = window.from;
  until.output = Times{{window.from}};
  until.options.erase("revolutions");
  PreparedRun envelope = prepare(until);
  if (!(window.from > envelope.start.t))
    throw UsageError(
        fmt::format("the window begins at {:g}, where the run has not begun yet or just begins; use --to "
                    "without a window to see the first cycles",
                    window.from));
  LastState last;
  envelope.options.observers.push_back(&last);
  envelope.options.stop = stop;
  WindowRun result;
  result.before = envelope.run().outcome;
  if (!result.before.ok()) return result;

  RunPlan inside = plan_of_every_cycle(plan, window.from, window.to);
  inside.output = plan.output;
  inside.rtol = plan.rtol;
  inside.atol = plan.atol;
  inside.native = plan.native;
  inside.checkpoint_every = plan.checkpoint_every;
  result.run = prepare(inside);
  result.run->start = last.state;
  tell_window(*result.run, window.from, "the envelope was followed up to");
  for (const Notice& notice : result.before.notices)
    if (notice.code == "summary") result.run->options.notices.push_back(notice);
  return result;
}

WindowRun prepare_window(const PreparedRun& followed, const RunDefaults& defaults,
                         const std::vector<CycleStart>& starts, const TimeWindow& window,
                         const std::atomic<bool>* stop) {
  check_window(window);
  if (starts.size() < 2)
    throw UsageError("the solution is no envelope with a row for every step, so that it has no cycles to look at");
  if (!(window.from >= starts.front().t && window.to <= *followed.plan.to))
    throw UsageError(fmt::format("the window {:g}:{:g} does not lie in the run, which goes from {:g} to {:g}",
                                 window.from, window.to, starts.front().t, *followed.plan.to));
  const auto behind =
      std::find_if(starts.begin(), starts.end(), [&](const CycleStart& s) { return s.t > window.from; });
  const CycleStart& from = *std::prev(behind);
  State start = start_of(*followed.problem, from, followed.start.mode);
  WindowRun result;
  if (from.t < window.from) {
    LastState last;
    PreparedRun before = every_cycle(followed, defaults, start, window.from, Times{{window.from}});
    before.options.observers.push_back(&last);
    before.options.stop = stop;
    result.before = before.run().outcome;
    if (!result.before.ok()) return result;
    start = last.state;
  }
  result.run = every_cycle(followed, defaults, start, window.to, EveryStep{});
  take_over(*result.run, followed);
  tell_window(*result.run, window.from,
              fmt::format("every cycle was computed from t = {:g}, a point of the envelope, up to", from.t));
  return result;
}
}  // namespace trill
