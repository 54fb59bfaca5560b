// SPDX-License-Identifier: BSD-3-Clause
#include "driver/cycle_window.hpp"

#include <algorithm>
#include <cmath>

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

// One cycle at the given phases. false: it cannot be computed.
bool sample_cycle(const PreparedRun& run, const RunDefaults& defaults, const CycleShapes::Cycle& cycle,
                  const State& start, CycleShapes& shapes) {
  RunPlan plan = plan_of_every_cycle(run.plan, cycle.t, cycle.t + cycle.period);
  plan.native = Native::never;
  Times times;
  for (const double phase : shapes.phases)
    if (phase > 0) times.t.push_back(phase < 1 ? cycle.t + phase * cycle.period : *plan.to);
  plan.output = times;
  PreparedRun one = prepare(plan, run.problem->clone(), defaults);
  one.start = start;
  const Solution solution = one.run();
  if (!solution.ok() || solution.rows() < static_cast<Index>(times.t.size())) return false;
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
}  // namespace

CycleStarts::CycleStarts(const Stepper& stepper) : stepper_(stepper) {
  const std::vector<Quantity> quantities = stepper.diagnostics();
  diagnostics_ = Vec::Zero(static_cast<Index>(quantities.size()));
  for (std::size_t k = 0; k < quantities.size(); ++k)
    if (quantities[k].kind == QuantityKind::cycles) cycles_at_ = static_cast<Index>(k);
}

void CycleStarts::begin(const Problem&, const State& start) { keep(start); }

// What a step over less than a cycle reaches is not the start of one.
void CycleStarts::accepted(const State& s, const StepResult&) {
  if (!counts_cycles()) return;
  stepper_.diagnose(diagnostics_);
  const double cycles = diagnostics_[cycles_at_];
  number_ += cycles;
  if (cycles > 0.5 && std::abs(cycles - std::round(cycles)) < nearly_whole_cycles) keep(s);
}

void CycleStarts::keep(const State& s) {
  if (met_++ % stride_ != 0) return;
  starts_.push_back({number_, s});
  if (starts_.size() < most_starts) return;
  for (std::size_t k = 1; 2 * k < starts_.size(); ++k) starts_[k] = std::move(starts_[2 * k]);
  starts_.resize((starts_.size() + 1) / 2);
  stride_ *= 2;
}

CycleShapes find_cycle_shapes(const PreparedRun& run, const RunDefaults& defaults, const CycleStarts& starts,
                              double bytes) {
  CycleShapes shapes;
  const auto& all = starts.all();
  if (all.size() < 2) return shapes;
  const auto period_at = [&](std::size_t k) {
    const auto &a = all[k + 1 < all.size() ? k : k - 1], &b = all[k + 1 < all.size() ? k + 1 : k];
    return (b.state.t - a.state.t) / (b.number - a.number);
  };
  shapes.phases = phases_of(*run.problem, all[0].state.t, period_at(0));
  for (Index c = 0; c < std::min(run.problem->layout().size(), most_shown_components); ++c)
    shapes.components.push_back(c);
  const double fit = bytes / (bytes_of_value * static_cast<double>(shapes.size_of_cycle()));
  const std::size_t wanted = std::min(all.size(), static_cast<std::size_t>(std::max(fit, 2.0)));
  for (std::size_t j = 0; j < wanted; ++j) {
    const std::size_t k = j * (all.size() - 1) / (wanted - 1);
    const CycleShapes::Cycle cycle{all[k].number, all[k].state.t, period_at(k)};
    if (sample_cycle(run, defaults, cycle, all[k].state, shapes)) shapes.cycles.push_back(cycle);
  }
  return shapes;
}

WindowRun prepare_window(const RunPlan& plan, const TimeWindow& window, const std::atomic<bool>* stop) {
  if (!(window.from < window.to && std::isfinite(window.from) && std::isfinite(window.to)))
    throw UsageError(
        fmt::format("a window must end after it begins, which {:g}:{:g} does not", window.from, window.to));
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
  result.run->choice = fmt::format(
      "the envelope was followed up to t = {:g}, where the window begins; from there on every "
      "cycle is computed by {}",
      window.from, way_of(result.run->options.info));
  result.run->options.notices.push_back(
      {.t = window.from, .code = "window", .text = result.run->choice, .severity = Severity::info});
  for (const Notice& notice : result.before.notices)
    if (notice.code == "summary") result.run->options.notices.push_back(notice);
  return result;
}
}  // namespace trill
