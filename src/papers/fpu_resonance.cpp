// SPDX-License-Identifier: BSD-3-Clause
// (phi, psi)-methods on the Fermi-Pasta-Ulam chain over long times: energy as a function of h omega, and the speed at
// which fast modes exchange energy.
#include "base/parallel.hpp"
#include "multiscale/weight.hpp"
#include "papers/cells.hpp"
#include "papers/filters.hpp"
#include "trill/problem/model_registry.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include <fmt/format.h>

namespace trill {
namespace papers::filters {
namespace {
// Quantities of the model.
enum Quantities : Index { total_energy = 0, first_oscillatory_energy = 2 };

std::unique_ptr<Problem> chain(double omega) {
  return ModelRegistry::all().find("fermi_pasta_ulam").make({{"omega", digits(omega)}});
}

double largest_deviation(const Pair& pair, double h, double omega, double to) {
  const std::unique_ptr<Problem> problem = chain(omega);
  Steps steps = mollified_impulse(*problem, pair);
  Vec start(static_cast<Index>(problem->quantities().size())), now = start;
  problem->measure(steps.state(), start);
  double largest = 0;
  const int count = static_cast<int>(std::lround(to / h));
  for (int n = 0; n < count; ++n) {
    if (!steps.advance(h)) return HUGE_VAL;
    problem->measure(steps.state(), now);
    largest = std::max(largest, std::abs(now[total_energy] - start[total_energy]));
  }
  return largest;
}

struct ResonanceRow {
  Pair pair;
  double median, largest, where;     // deviation of the energy; where: h omega/pi of the largest one
  double factor;                     // largest factor by which `largest` may differ
  std::vector<double> spikes, calm;  // values of h omega/pi
};
// From an independent program, with 450 values of h omega up to 4.5 pi. The motion is chaotic. Where the energy grows
// by resonance, two programs that differ by rounding agree in the size of a spike; after long exponential growth they
// agree only in its power of ten. (long,long) next to 2 pi is a borderline case.
const std::vector<ResonanceRow>& resonance_rows() {
  static const std::vector<ResonanceRow> all{
      {{"delta", "delta"}, 3.5e-2, 28802, 1.99, 30, {1, 1.99, 3, 4}, {0.5, 1.5, 2.5}},
      {{"delta", "short"}, 1.3e-2, 52.061, 1, 3, {1, 3}, {0.5, 2}},
      {{"short", "delta"}, 3.5e-2, 589.83, 1.99, 30, {1.99}, {0.5}},
      {{"short", "short"}, 1.3e-2, 19.298, 1, 3, {1}, {0.5}},
      {{"short", "lin"}, 8.4e-3, 6.9272, 1, 3, {1}, {0.5}},
      {{"lin", "lin"}, 8.4e-3, 1.7364, 1, 3, {1}, {0.5}},
      {{"cubic", "cubic"}, 9.7e-3, 0.30862, 1, 3, {1}, {0.5}},
      {{"long", "long"}, 6.4e-3, 0.092745, 2.03, 4, {}, {1, 3}},
      {{"delta", "long"}, 5.7e-3, 0.029833, 0.51, 1.5, {}, {1, 2, 3}},
      {{"short", "short*long"}, 1.07e-2, 0.029495, 0.5, 1.5, {}, {1, 2, 3}},
      {{"lin", "lin*long"}, 9.6e-3, 0.031153, 0.62, 1.5, {}, {1, 2, 3}},
      {{"long", "long*long"}, 9.1e-3, 0.032186, 0.69, 1.5, {}, {1, 2, 3}}};
  return all;
}
constexpr double spike = 10;  // a deviation of this many times the median

constexpr double fpu_step = 0.02, long_time = 1000;

// Values of h omega/pi: all of them, or those needed for cells and the neighbours of the largest deviation.
std::vector<double> angles_of(const ResonanceRow& row, bool full) {
  std::vector<double> all;
  if (full)
    for (int k = 1; k <= 450; ++k) all.push_back(0.01 * k);
  else
    for (const double shift : {-0.01, 0.0, 0.01}) all.push_back(row.where + shift);
  for (const auto* more : {&row.spikes, &row.calm})
    for (const double angle : *more)
      if (std::find(all.begin(), all.end(), angle) == all.end()) all.push_back(angle);
  std::sort(all.begin(), all.end());
  return all;
}

ChartSeries curve_of(const ResonanceRow& row, bool full) {
  ChartSeries curve{row.pair.name(), angles_of(row, full), {}};
  curve.y.resize(curve.x.size());
  for_each_parallel(curve.x.size(), full ? available_threads() : 1, [&](std::size_t i) {
    curve.y[i] = largest_deviation(row.pair, fpu_step, curve.x[i] * std::numbers::pi / fpu_step, long_time);
  });
  return curve;
}

void add_cells(const ResonanceRow& row, bool full, const ChartSeries& curve, FigureResult& result) {
  const std::string name = row.pair.name();
  result.cells.push_back(by_factor(name + ", largest deviation of the energy",
                                   *std::max_element(curve.y.begin(), curve.y.end()), row.largest, row.factor));
  const auto add_spike = [&](double angle, double expected) {
    const auto place = std::find(curve.x.begin(), curve.x.end(), angle) - curve.x.begin();
    const bool seen = !(curve.y[static_cast<std::size_t>(place)] < spike * row.median);
    result.cells.push_back(near(fmt::format("{}, spike at {} pi (1: yes)", name, angle), seen, expected, 0));
  };
  for (const double angle : row.spikes) add_spike(angle, 1);
  for (const double angle : row.calm) add_spike(angle, 0);
  if (!full) return;
  std::vector<double> sorted = curve.y;
  std::nth_element(sorted.begin(), sorted.begin() + static_cast<std::ptrdiff_t>(sorted.size() / 2), sorted.end());
  result.cells.push_back(by_factor(name + ", median", sorted[sorted.size() / 2], row.median, 1.5));
}

FigureResult resonance(bool full) {
  FigureResult result;
  Chart chart{.title = "Largest deviation of the energy",
              .note = "h = 0.02, t <= 1000",
              .x = {"h omega/pi", "", false},
              .y = {"deviation", "", true},
              .style = full ? ChartStyle::line : ChartStyle::points,
              .series = {}};
  for (const ResonanceRow& row : resonance_rows()) {
    chart.series.push_back(curve_of(row, full));
    add_cells(row, full, chart.series.back(), result);
  }
  result.charts = {chart};
  result.remark =
      "Chain of three stiff springs. The short figure has the values of h omega where each pair is worst and where "
      "spikes are or must not be; the full one 450 values up to 4.5 pi. A spike is a deviation of more than ten times "
      "the median. psi = phi*long has none.";
  return result;
}

struct ExchangeRow {
  Pair pair;
  double h, time;
};

// The time at which the energy of the first stiff spring has halved.
double half_time(const Pair& pair, double h) {
  constexpr double omega = 50, latest = 250;
  const std::unique_ptr<Problem> problem = chain(omega);
  Steps steps = mollified_impulse(*problem, pair);
  Vec now(static_cast<Index>(problem->quantities().size()));
  problem->measure(steps.state(), now);
  double before = now[first_oscillatory_energy];
  const double half = before / 2;
  for (int n = 1; n * h < latest; ++n) {
    if (!steps.advance(h)) break;
    problem->measure(steps.state(), now);
    const double value = now[first_oscillatory_energy];
    if (value <= half) return (n - (half - value) / (before - value)) * h;
    before = value;
  }
  return std::nan("");
}

FigureResult exchange(bool) {
  const std::vector<ExchangeRow> table{{{"delta", "delta"}, 0.001, 56.21},     {{"delta", "delta"}, 0.03, 54.59},
                                       {{"short", "short"}, 0.03, 65.11},      {{"lin", "lin"}, 0.03, 77.66},
                                       {{"short", "short*long"}, 0.03, 94.91}, {{"long", "long"}, 0.03, 120.41},
                                       {{"long", "long*long"}, 0.03, 177.10}};
  FigureResult result;
  double resolved = 0;
  for (const ExchangeRow& row : table) {
    const double time = half_time(row.pair, row.h), angle = row.h * 50;
    if (resolved == 0) resolved = time;
    const std::string at = fmt::format("{}, h = {}", row.pair.name(), row.h);
    result.cells.push_back(relative(at + ", time", time, row.time, 0.03));
    const double factor = Weight::named(row.pair.phi).filter(angle) * Weight::named(row.pair.psi).filter(angle);
    result.cells.push_back(shown(near(at + ", speed; hatphi hatpsi", resolved / time, factor, 0.05, closed_form)));
  }
  result.remark =
      "Time at which the first stiff spring has lost half its energy, omega = 50. Filters slow the exchange between "
      "fast modes by about hatphi(h omega) hatpsi(h omega).";
  return result;
}
}  // namespace
}  // namespace papers::filters

void register_figure_fpu_resonance(FigureRegistry& registry) {
  using namespace papers::filters;
  registry.add({"fpu_resonance", "Energy of the Fermi-Pasta-Ulam chain against h omega",
                "Hairer, Lubich, Wanner: Geometric Numerical Integration, ch. XIII", resonance});
  registry.add({"fpu_exchange", "Exchange of energy between stiff springs, slowed by filters",
                "Hairer, Lubich, Wanner: Geometric Numerical Integration, ch. XIII", exchange});
}
}  // namespace trill
