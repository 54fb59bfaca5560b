// SPDX-License-Identifier: BSD-3-Clause
// SAT09 figures 1 to 6. The paper has curves only. The dots (direct integration) and the lines (HMM) are compared at t
// = 1, ..., 10 with a solution by another method with tolerance 1e-11.
#include "papers/sat09.hpp"

#include <cmath>

#include <fmt/format.h>

namespace trill {
namespace papers::sat09 {
namespace {
constexpr double fine = 1.0 / 64;  // for drawing

struct Runs {
  Pieces dots, line, exact;
};

enum class Projected { at_start, every_unit };

Runs runs_of(const Case& c, Projected projected = Projected::at_start) {
  return {whole(reference(c, Grid{sampling})),
          projected == Projected::at_start ? whole(hmm_by_ode45(c, Grid{fine})) : hmm_reprojected(c, fine),
          whole(tight_reference(c, Grid{sampling}))};
}

using Measure = std::function<double(const Vec&)>;

// One cell for every time; of several values the one with the largest error.
void compare(FigureResult& result, const std::string& what, const Pieces& ours, const Pieces& exact,
             const std::vector<Measure>& values, double tolerance, double until = to) {
  for (int t = 1; t <= until; ++t) {
    double most = 0;
    for (const Measure& value : values) {
      const double off = std::abs(value(state_at(ours, t)) - value(state_at(exact, t)));
      if (!(off <= most)) most = off;
    }
    result.cells.push_back(at_most(fmt::format("{}, t = {}", what, t), most, tolerance, tight));
  }
}

std::vector<Measure> components(Index first, Index count) {
  std::vector<Measure> all;
  for (Index i = first; i < first + count; ++i) all.push_back([i](const Vec& y) { return y[i]; });
  return all;
}

double mean_velocity(const Vec& y) { return (y[4] + y[6]) / 2; }
double first_length(const Vec& y) { return std::hypot(y[0], y[1]); }
double second_length(const Vec& y) { return std::hypot(y[2] - y[0], y[3] - y[1]); }

Curve path(const std::string& label, Index x) {
  return {label, [x](double, const Vec& y) { return y[x]; }, [x](double, const Vec& y) { return y[x + 1]; }};
}
Curve in_time(const std::string& label, Measure value) {
  return {label, [](double t, const Vec&) { return t; }, [value](double, const Vec& y) { return value(y); }};
}

Chart drawn(const std::string& title, const ChartAxis& x, const ChartAxis& y, const std::vector<Curve>& curves,
            const Runs& runs) {
  Chart chart{.title = title,
              .note = "Dots: direct integration. Lines: HMM.",
              .x = x,
              .y = y,
              .style = ChartStyle::both,
              .series = {}};
  for (const Curve& curve : curves) add_line(chart, curve, runs.line);
  for (const Curve& curve : curves) add_dots(chart, curve, runs.dots);
  return chart;
}

Chart plane(const Runs& runs) {
  return drawn("Motion of the masses", {"x", "", false}, {"y", "", false}, {path("mass 1", 0), path("mass 2", 2)},
               runs);
}

Chart over_time(const std::string& title, const std::string& value, const std::vector<Curve>& curves,
                const Runs& runs) {
  return drawn(title, {"t", "", false}, {value, "", false}, curves, runs);
}

// Tolerances: for dots the accuracy of ode45 with 1e-6; for lines the error that the paper gives for the run plus that
// of the reference.
FigureResult masses(const Runs& runs, double dots, double line, double until = to) {
  FigureResult result;
  compare(result, "dots, positions", runs.dots, runs.exact, components(0, 4), dots);
  compare(result, "line, positions", runs.line, runs.exact, components(0, 4), line, until);
  result.charts = {plane(runs)};
  return result;
}

FigureResult velocities(bool) {
  const Runs runs = runs_of(second_stiff(500));
  FigureResult result;
  compare(result, "dots, velocities", runs.dots, runs.exact, components(4, 4), 1e-3);
  compare(result, "line, mean velocity", runs.line, runs.exact, {mean_velocity}, 0.003);
  const double apart = largest_distance(runs.line, runs.dots, Part::velocities);
  result.cells.push_back(
      shown(near("largest difference of single velocities", apart, 0, 0, expected_since("both are averages"))));
  result.charts = {
      over_time("Velocity of the centre of mass", "velocity along x", {in_time("centre of mass", mean_velocity)}, runs),
      over_time(
          "Velocities of the masses", "velocity along x",
          {in_time("mass 1", [](const Vec& y) { return y[4]; }), in_time("mass 2", [](const Vec& y) { return y[6]; })},
          runs)};
  result.remark = "Single velocities differ by those of the oscillation, which does not become small.";
  return result;
}

FigureResult lengths(bool) {
  const Runs runs = runs_of(first_stiff());
  FigureResult result;
  compare(result, "dots, lengths", runs.dots, runs.exact, {first_length, second_length}, 1e-4);
  compare(result, "line, lengths", runs.line, runs.exact, {first_length, second_length}, 0.043);
  result.charts = {over_time("Length of the stiff spring", "length", {in_time("r1", first_length)}, runs),
                   over_time("Length of the soft spring", "length", {in_time("r12", second_length)}, runs)};
  result.remark = "The oscillation is much faster than the dots at intervals of 0.25 suggest.";
  return result;
}

FigureResult drifting(bool) {
  const Runs runs = runs_of(both_stiff());
  FigureResult result = masses(runs, 2e-4, 0.02, 2);
  const double lost = distance(state_at(runs.line, 5), state_at(runs.exact, 5));
  result.cells.push_back(relative("line, positions, t = 5", lost, 1.05, 0.05));
  result.remark = "From t = 2 on HMM without projections is far off, as in the paper.";
  return result;
}
}  // namespace
}  // namespace papers::sat09

void register_figure_sat09_figures(FigureRegistry& registry) {
  using namespace papers::sat09;
  registry.add({"sat09_fig1", "HMM: the masses, second spring stiff", "SAT09 fig. 1",
                [](bool) { return masses(runs_of(second_stiff(500)), 1e-5, 0.0105); }});
  registry.add({"sat09_fig2", "HMM: velocities, second spring stiff", "SAT09 fig. 2", velocities});
  registry.add({"sat09_fig3", "HMM: the masses, first spring stiff", "SAT09 fig. 3",
                [](bool) { return masses(runs_of(first_stiff()), 1e-4, 0.043); }});
  registry.add({"sat09_fig4", "HMM: lengths of the springs, first one stiff", "SAT09 fig. 4", lengths});
  registry.add({"sat09_fig5", "HMM: the masses, both springs stiff", "SAT09 fig. 5", drifting});
  registry.add({"sat09_fig6", "HMM: both springs stiff, projected every unit", "SAT09 fig. 6",
                [](bool) { return masses(runs_of(both_stiff(), Projected::every_unit), 2e-4, 0.037); }});
}
}  // namespace trill
