// SPDX-License-Identifier: BSD-3-Clause
// Where P-stability or order are not enough: methods of JP95 sec. 2 and 3 that fail on the stiff spring pendulum.
#include "papers/jp95.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

namespace trill {
namespace papers::jp95 {
namespace {
double energy_after(const Track& track, int step) {
  return step <= track.steps() ? track.energy[static_cast<std::size_t>(step)] : std::nan("");
}

void add_energies(const Method& method, const std::vector<double>& published, double tolerance, FigureResult& result) {
  const Track track = follow(method, {.to = 4 * usual_h});
  for (int step = 1; step <= static_cast<int>(published.size()); ++step)
    result.cells.push_back(relative(fmt::format("{}, energy after step {}", method.title(), step),
                                    energy_after(track, step), published[static_cast<std::size_t>(step) - 1],
                                    tolerance));
}

FigureCell step_of_failure(const Method& method, double delta, int published, int tolerance) {
  return near(fmt::format("{}, delta = {}, first step without convergence", method.title(), delta),
              follow(method, {.delta = delta}).failed, published, tolerance);
}

FigureResult failures(bool) {
  FigureResult result;
  Chart chart = magnitude_chart("Energy of a smooth motion, which should stay 0", "", {});
  const auto follow_smooth = [&](const Method& method, double most, double tolerance) {
    const Track track = follow(method, {});
    result.cells.push_back(
        relative(method.title() + ", delta = 0, largest energy", track.most_energy(), most, tolerance));
    result.cells.push_back(near(method.title() + ", delta = 0, first step without convergence", track.failed, 0, 0));
    chart.series.push_back(magnitudes(method.title(), track));
  };
  follow_smooth({"gauss", 1}, 4.0e4, 0.1);
  follow_smooth({"gauss", 2}, 7.1e3, 0.1);
  follow_smooth({"lobatto_iiib", 3}, 3.9e6, 0.1);
  follow_smooth({"lobatto_iiia", 3}, 7.1e-4, 0.1);
  for (const Method& method : {Method{"gauss", 5}, Method{"radau", 3}})
    chart.series.push_back(magnitudes(method.title(), follow(method, {})));
  // This value is amplified rounding (the trapezoidal rule lets it grow): with other roundings it is half as large.
  result.cells.push_back(shown(
      relative("Lobatto IIIA 2, delta = 0, largest energy", follow({"lobatto_iiia", 2}, {}).most_energy(), 9.3e-3, 0)));
  result.cells.push_back(step_of_failure({"gauss", 1}, perturbation, 699, 20));
  result.cells.push_back(shown(step_of_failure({"gauss", 2}, perturbation, 1715, 0)));
  result.cells.push_back(step_of_failure({"lobatto_iiia", 2}, perturbation, 1, 0));
  result.cells.push_back(step_of_failure({"lobatto_iiia", 3}, perturbation, 1, 0));
  result.cells.push_back(step_of_failure({"radau", 3}, 0.158, 0, 0));
  add_energies({"verlet"}, {1.9531e-3, 1.953e9, 1.95e21}, 2e-3, result);
  add_energies({"lobatto_pair", 2}, {1.9531e-3, 1.953e9, 1.95e21}, 2e-3, result);
  add_energies({"lobatto_pair", 3}, {5.4254e-5, 5.425e7}, 2e-3, result);
  result.charts = {std::move(chart)};
  result.remark = "0 means that all steps converged.";
  return result;
}

struct BoundRow {
  int s;
  // h^2/epsilon for the largest step with bounded growth; its range over epsilon = 1e-4 ... 1e-6.
  double low, high;
};
constexpr std::array<BoundRow, 4> bound_rows{{{3, 13, 15.5}, {4, 15.5, 22.3}, {5, 22.3, 30.5}, {6, 25.6, 44}}};
constexpr double published_ratio = 1.12, ratio = 1.04;  // ratios of neighbouring h in the grids
constexpr double bounded = 3;                           // largest growth of the amplitude over 60 time units

struct Growth {
  double factor;
  bool is_bounded;
};
Growth growth(int s, double h, double epsilon) {
  const Track track = follow({"gauss", s}, {.delta = epsilon, .h = h, .to = 60, .epsilon = epsilon});
  const auto& fast = track.fast_energy;
  const double factor = std::sqrt(*std::max_element(fast.begin(), fast.end()) / fast.front());
  return {factor, track.failed == 0 && factor < bounded};
}

// The published bound is below the true one by less than one step of its grid.
FigureCell bound_cell(const BoundRow& row, double epsilon, double ours) {
  const double high = row.high * published_ratio * published_ratio;
  return by_factor(fmt::format("Gauss {}, epsilon = {}, largest bounded h^2/epsilon", row.s, epsilon), ours,
                   std::sqrt(row.low * high), std::sqrt(high / row.low));
}

FigureResult step_bound(bool full) {
  FigureResult result;
  Chart chart{.title = "Growth of the oscillation over 60 time units",
              .note = "epsilon = 1e-5. Gauss methods keep the amplitude up to a bound on h.",
              .x = {"h^2/epsilon", "", false},
              .y = {"largest amplitude / first", "", true},
              .style = ChartStyle::both,
              .series = {}};
  for (const BoundRow& row : bound_rows)
    for (const double epsilon : full ? std::vector<double>{1e-4, 1e-5, 1e-6} : std::vector<double>{1e-4, 1e-5}) {
      ChartSeries grown{fmt::format("Gauss {}", row.s), {}, {}};
      double largest = std::nan("");
      for (double h = std::sqrt(0.8 * row.low * epsilon); h * h < 3 * row.high * epsilon; h *= ratio) {
        const Growth now = growth(row.s, h, epsilon);
        add_point(grown, h * h / epsilon, now.factor);
        if (!now.is_bounded) break;
        largest = h * h / epsilon;
      }
      result.cells.push_back(bound_cell(row, epsilon, largest));
      if (epsilon == usual_epsilon) chart.series.push_back(std::move(grown));
    }
  result.charts = {std::move(chart)};
  result.remark =
      "Amplitude: root of the fast energy, from delta = epsilon. The fast mode is aliased to the frequency 2k "
      "epsilon/h^2, k = s(s + 1), and grows by resonance with the slow motion when that is as slow. Published: middle "
      "and half width of the range over epsilon and of one step of its grid.";
  return result;
}
}  // namespace
}  // namespace papers::jp95

void register_figure_jp95_failures(FigureRegistry& registry) {
  using namespace papers::jp95;
  registry.add({"jp95_failures", "Methods that fail with h >> epsilon", "JP95 sec. 3", failures});
  registry.add({"jp95_step_bound", "Largest steps that keep the amplitude", "after JP95 sec. 3", step_bound});
}
}  // namespace trill
