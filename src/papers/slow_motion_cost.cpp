// SPDX-License-Identifier: BSD-3-Clause
// The cost of a slow motion: evaluations of the right-hand side for an error of 1e-3 and of 1e-6.
#include "papers/slow_motion.hpp"

#include <array>
#include <cmath>
#include <optional>

#include <fmt/format.h>

namespace trill {
namespace papers::slow_motion {
namespace {
constexpr std::array<double, 3> cost_frequencies{100, 1000, 10000};
constexpr std::array<double, 2> targets{1e-3, 1e-6};

struct CostRow {
  const char* subject;
  Data data;
  // Published numbers of evaluations at the frequencies, for both targets. 0: not reached.
  std::array<std::array<int, 2>, 3> published;
};
constexpr std::array<CostRow, 15> cost_rows{{
    {"spring pendulum", Data::smooth, {{{528, 0}, {529, 1095}, {529, 1096}}}},
    {"spring pendulum", Data::fast, {{{430, 0}, {529, 0}, {529, 1096}}}},
    {"two springs i", Data::smooth, {{{145, 323}, {145, 323}, {145, 324}}}},
    {"two springs i", Data::fast, {{{145, 0}, {145, 0}, {145, 324}}}},
    {"two springs ii", Data::fast, {{{0, 0}, {0, 0}, {158, 0}}}},
    {"two springs iii", Data::smooth, {{{182, 0}, {183, 425}, {183, 426}}}},
    {"two springs iii", Data::fast, {{{0, 0}, {0, 0}, {0, 0}}}},
    {"two stiff springs, 1:2", Data::fast, {{{0, 0}, {145, 0}, {183, 0}}}},
    {"varying frequency", Data::fast, {{{145, 0}, {145, 400}, {145, 400}}}},
    {"curved wire", Data::smooth, {{{145, 0}, {145, 463}, {145, 464}}}},
    {"curved wire", Data::fast, {{{221, 0}, {221, 0}, {221, 464}}}},
    {"planar chain", Data::smooth, {{{273, 0}, {209, 439}, {209, 440}}}},
    {"planar chain", Data::fast, {{{233, 0}, {233, 432}, {233, 429}}}},
    {"cart", Data::smooth, {{{221, 0}, {221, 525}, {221, 526}}}},
    {"cart", Data::fast, {{{310, 0}, {246, 0}, {246, 540}}}},
}};

struct Run {
  double rtol, error, calls, seconds;
  int order;
};

// Runs with every tolerance from 1e-2 to 1e-9 and both orders, compared with the stiff motion.
std::vector<Run> runs_of(const Subject& what, double omega, Data data) {
  const bool fast = data == Data::fast;
  const auto plan = [&](int order, double rtol) {
    RunPlan made = slow_plan(what.to,
                             {{"order", std::to_string(order)},
                              {"start", fast ? "matched" : "projected"},
                              {"fast_energy", fast ? "keep" : "drop"}},
                             rtol);
    made.h_max = what.to / 10;  // at least one step between two of the times at which the error is measured
    return made;
  };
  std::optional<Vec> given;
  Mat stiff;
  if (fast) {
    stiff = slow_part_of_stiff_motion(what, omega);
  } else {
    given = finished(prepare_run(what, omega, data, plan(1, 1e-11))).y().col(0);
    PreparedRun run = prepare_run(what, omega, data, stiff_plan(what.to));
    run.start.y = *given;
    stiff = samples_of(finished(std::move(run)));
  }
  std::vector<Run> all;
  for (const int order : {0, 1})
    for (int digit = 2; digit <= 9; ++digit) {
      const double rtol = std::pow(10, -digit);
      PreparedRun run = prepare_run(what, omega, data, plan(order, rtol));
      if (given && order == 0) run.start.y = *given;
      const Solution solution = run.run();
      if (!solution.ok()) continue;
      const Errors errors = distance(samples_of(solution), stiff, solution.info.layout.nq);
      const Counters& counters = solution.outcome.counters;
      all.push_back({rtol, errors.worst(), static_cast<double>(counters.most_forces()), counters.seconds, order});
    }
  return all;
}

std::optional<Run> cheapest(const std::vector<Run>& runs, double target) {
  std::optional<Run> best;
  for (const Run& run : runs)
    if (run.error <= target && (!best || run.calls < best->calls)) best = run;
  return best;
}

// The published error of the model, 1.7e-3, is above the target; an error of the steps happened to compensate it.
bool by_chance(const CostRow& row, std::size_t frequency, std::size_t target) {
  return row.data == Data::fast && frequency == 0 && target == 0 && subject("spring pendulum").name == row.subject;
}

FigureResult cost(bool full) {
  FigureResult result;
  std::array<std::vector<ChartSeries>, 2> series;
  for (const CostRow& row : cost_rows) {
    const Subject& what = subject(row.subject);
    const std::string name = fmt::format("{}, {}", what.name, row.data == Data::fast ? "fast" : "smooth");
    std::array<ChartSeries, 2> calls{ChartSeries{name, {}, {}}, ChartSeries{name, {}, {}}};
    for (std::size_t k = 0; k < (full ? 3u : 2u); ++k) {
      const std::vector<Run> runs = runs_of(what, cost_frequencies[k], row.data);
      for (std::size_t target = 0; target < targets.size(); ++target) {
        const std::optional<Run> ours = cheapest(runs, targets[target]);
        const int published = row.published[k][target];
        if (!ours && published == 0) continue;
        std::string label = fmt::format("{}, omega = {}, calls for {:.0e}", name, cost_frequencies[k], targets[target]);
        if (ours) {
          label += fmt::format(" (order {}, error {:.1e}, {:.0f} us)", ours->order, ours->error, 1e6 * ours->seconds);
          add_point(calls[target], cost_frequencies[k], ours->calls);
        }
        result.cells.push_back(judged_if(what.same_data && published > 0 && !by_chance(row, k, target),
                                         by_factor(label, ours ? ours->calls : 0, published, 2)));
      }
    }
    for (std::size_t target = 0; target < targets.size(); ++target)
      if (!calls[target].x.empty()) series[target].push_back(std::move(calls[target]));
  }
  for (std::size_t target = 0; target < targets.size(); ++target) {
    Chart chart = error_chart(fmt::format("Right-hand sides for an error of {:.0e}", targets[target]),
                              "They do not grow with omega.", std::move(series[target]));
    chart.y = {"right-hand sides", "", true};
    result.charts.push_back(std::move(chart));
  }
  result.remark =
      "The fewest right-hand sides over tolerances 1e-2 ... 1e-9 and both orders with which the largest error of a "
      "position or velocity at 10 times stays below the target; 0: not reached. Times depend on the machine and are "
      "not judged. Neither are the chain and the varying frequency, whose published data are others, and the pendulum "
      "with fast energy at omega = 100, whose model error lies above 1e-3.";
  return result;
}
}  // namespace
}  // namespace papers::slow_motion

void register_figure_slow_motion_cost(FigureRegistry& registry) {
  using namespace papers::slow_motion;
  registry.add({"slow_cost", "Right-hand sides that a slow motion needs", "after PJY97 sec. 3.2", cost});
}
}  // namespace trill
