// SPDX-License-Identifier: BSD-3-Clause
// JP95 fig. 1 to 4: the stiff spring pendulum with h = 1000 epsilon, smooth and oscillating.
#include "papers/jp95.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

namespace trill {
namespace papers::jp95 {
namespace {
// As in the paper: components of position and velocity, and the energy. q2 of the paper points up, our y down.
std::vector<Chart> charts_of(const Track& track) {
  std::vector<double> q1, q2, v1, v2;
  for (const Vec& y : track.y) {
    q1.push_back(y[0]);
    q2.push_back(-y[1]);
    v1.push_back(y[2]);
    v2.push_back(-y[3]);
  }
  return {time_chart("Positions", "", {"q", ""}, {{"q1", track.t, q1}, {"q2", track.t, q2}}),
          time_chart("Velocities", "", {"v", ""}, {{"v1", track.t, v1}, {"v2", track.t, v2}}),
          time_chart("Energy", "", {"energy", ""}, {{"energy", track.t, track.energy}})};
}

// One point per step: there are two branches if the sign changes with every step.
Chart chart_along_spring(const Track& track) {
  Chart chart = time_chart("Velocity along the spring", "One point a step.", {"velocity", ""},
                           {{"velocity", track.t, track.radial}});
  chart.style = ChartStyle::points;
  return chart;
}

struct Bound {
  Method method;
  double energy;
};
const std::vector<Bound>& smooth_bounds() {
  static const std::vector<Bound> rows{{{"gauss", 5}, 1e-12},
                                       {{"gauss", 4}, 1e-10},
                                       {{"gauss", 6}, 1e-12},
                                       {{"lobatto_iiia", 4}, 1e-10},
                                       {{"radau", 3}, 1e-10}};
  return rows;
}

FigureResult smooth(bool) {
  FigureResult result;
  for (const Bound& row : smooth_bounds()) {
    const Track track = follow(row.method, {});
    result.cells.push_back(
        at_most(row.method.title() + ", largest |energy|", track.failed ? HUGE_VAL : track.most_energy(), row.energy));
    if (&row == &smooth_bounds().front()) result.charts = charts_of(track);
  }
  result.remark =
      "Exact energy: 4.5e-30. The computed one is made of rounding and of what Newton's iteration leaves. Where the "
      "value beside ours is 0 the tolerance is a bound.";
  return result;
}

double share_of_alternations(const std::vector<double>& values) {
  int alternations = 0;
  for (std::size_t k = 2; k < values.size(); ++k) alternations += values[k] * values[k - 1] < 0;
  return static_cast<double>(alternations) / static_cast<double>(values.size() - 2);
}

double largest(const std::vector<double>& values) {
  double most = 0;
  for (const double value : values) most = std::max(most, std::abs(value));
  return most;
}

struct Range {
  Method method;
  double low, high, tolerance;
  double wrong_end = 0;  // q1 at the end if the slow motion does not end at -0.518; 0: it does
};

// Without the start, where the energy is exact.
void add_range(const Range& row, const Track& track, FigureResult& result) {
  const auto [low, high] = std::minmax_element(track.energy.begin() + 1, track.energy.end());
  const bool done = track.failed == 0;
  result.cells.push_back(
      near(row.method.title() + ", smallest energy", done ? *low : std::nan(""), row.low, row.tolerance));
  result.cells.push_back(
      near(row.method.title() + ", largest energy", done ? *high : std::nan(""), row.high, row.tolerance));
}

FigureResult oscillating(const Range& row, double radial, bool alternates, const std::vector<Range>& others) {
  const Track track = follow(row.method, {.delta = perturbation});
  FigureResult result;
  add_range(row, track, result);
  result.cells.push_back(
      near(row.method.title() + ", largest velocity along the spring", largest(track.radial), radial, 0.005));
  const double share = share_of_alternations(track.radial);
  result.cells.push_back(near(row.method.title() + ", share of steps that change its sign", share, alternates ? 1 : 0,
                              0.05, expected_since("the sign of R(infinity), JP95 sec. 5")));
  for (const Range& other : others) {
    const Track followed = follow(other.method, {.delta = perturbation});
    add_range(other, followed, result);
    if (other.wrong_end == 0) continue;
    const double q1 = followed.y.back()[0];
    result.cells.push_back(near(other.method.title() + ", q1 at the end, wrong", q1, other.wrong_end, 0.002));
  }
  result.charts = charts_of(track);
  result.charts.push_back(chart_along_spring(track));
  return result;
}

FigureResult five_stages(bool) {
  FigureResult result =
      oscillating({{"gauss", 5}, 0.476018, 0.525142, 0.001}, 1.025, true, {{{"gauss", 6}, 0.486144, 0.514178, 0.001}});
  result.remark = "Exact energy: 0.5. R(infinity) = -1 turns the fast velocity around in every step.";
  return result;
}

FigureResult four_stages(bool) {
  FigureResult result = oscillating({{"gauss", 4}, 0.451723, 0.552647, 0.001}, 1.051, false,
                                    {{{"gauss", 3}, 0.387322, 0.707534, 0.002},
                                     {{"lobatto_iiia", 4}, 0.2141, 0.7846, 0.03, 0.653},
                                     {{"lobatto_iiia", 5}, 0.4309, 0.5764, 0.02, -0.281}});
  result.remark =
      "Exact energy: 0.5. R(infinity) = 1: the fast velocity comes back with its sign, and turns slowly by aliasing. "
      "Lobatto IIIA keeps the energy within such bounds while its slow motion is wrong.";
  return result;
}

Chart first_steps_chart(Track track) {
  track.t.resize(8);
  track.energy.resize(8);
  Chart chart = magnitude_chart("Energy of the first steps", "", {magnitudes("energy", track)});
  chart.style = ChartStyle::both;
  return chart;
}

FigureResult damped(bool) {
  FigureResult result;
  const auto with_stages = [](int s) { return follow({"radau", s}, {.delta = perturbation}); };
  const Track three = with_stages(3), two = with_stages(2), four = with_stages(4);
  result.cells = {
      near("Radau IIA 3, energy after step 1", three.energy[1], 4.499505e-6, 5e-10),
      near("Radau IIA 3, energy after step 1, as printed", three.energy[1], 4.5e-6, 5e-8, published_in("JP95 sec. 5")),
      near("Radau IIA 3, energy after step 2", three.energy[2], -2.59549e-10, 2e-12),
      near("Radau IIA 3, energy after step 2, as printed", three.energy[2], -2.6e-10, 5e-12,
           published_in("JP95 sec. 5")),
      near("Radau IIA 2, energy after step 1", two.energy[1], 2.0011211e-6, 1e-9),
      near("Radau IIA 4, energy after step 1", four.energy[1], 8.000232e-6, 1e-9),
      near("Radau IIA 4, energy after step 2", four.energy[2], 1.2802e-10, 1e-12),
      shown(near("Radau IIA 3, energy at the end", three.energy.back(), -3.3e-10, 0))};
  result.charts = charts_of(three);
  result.charts.push_back(first_steps_chart(three));
  result.remark = "Exact energy: 0.5, of which the L-stable method keeps nothing.";
  return result;
}
}  // namespace
}  // namespace papers::jp95

void register_figure_jp95_figures(FigureRegistry& registry) {
  using namespace papers::jp95;
  registry.add(
      {"jp95_fig1", "Smooth motion of the stiff spring pendulum, Gauss 5, h = 1000 epsilon", "JP95 fig. 1", smooth});
  registry.add({"jp95_fig2", "Oscillating motion, Gauss 5", "JP95 fig. 2", five_stages});
  registry.add({"jp95_fig3", "Oscillating motion, Gauss 4", "JP95 fig. 3", four_stages});
  registry.add({"jp95_fig4", "Oscillating motion, Radau IIA 3", "JP95 fig. 4", damped});
}
}  // namespace trill
