// SPDX-License-Identifier: BSD-3-Clause
// YPR98 figures 7 to 12: the slider crank with a flexible rod of four elements and a torque of 0.2 until t = 0.3.
#include "papers/ypr98_crank.hpp"

#include "papers/ypr98.hpp"

#include <array>
#include <cmath>

#include <fmt/format.h>

namespace trill {
namespace papers::ypr98 {
namespace {
constexpr Index phi1 = 0, phi2 = 1, middle = 3, tip = 5, slider = 10;
// Steps of an alpha method are compared with the same steps of an independent program; the tolerance is that of
// Newton's iteration in both.
constexpr double step_tolerance = 1e-8, exact_tolerance = 1e-9;

struct Run {
  int steps;  // per second
  double rho;
};

Solution crank(const Run& run, const std::string& formulation = "index2") {
  return follow({"slider_crank", run.rho, 1.0 / run.steps, 1, formulation}, EveryStep{});
}

const CrankRow& expected(const Run& run, std::size_t tenth) {
  for (const CrankRun& known : crank_runs)
    if (known.steps == run.steps && known.rho == run.rho) return known.rows[tenth - 1];
  throw UsageError("there is no such run of the slider crank");
}

std::string title(const Run& run) { return fmt::format("rho = {}, h = 1/{}", run.rho, run.steps); }

double tenth(std::size_t k) { return 0.1 * static_cast<double>(k); }

Chart seconds_chart(std::string name, std::string note, ChartAxis y) {
  Chart chart = time_chart(std::move(name), std::move(note), std::move(y));
  chart.x.unit = "s";
  return chart;
}

void compare(const Run& run, const Solution& s, Index component, double CrankRow::*member, const std::string& name,
             FigureResult& result) {
  for (std::size_t k = 1; k <= 10; ++k)
    result.cells.push_back(near(fmt::format("{}({:.1f}), {}", name, tenth(k), title(run)),
                                state_at(s, tenth(k))[component], expected(run, k).*member, step_tolerance,
                                same_steps));
}

void compare_energy(const Run& run, const Solution& s, FigureResult& result) {
  for (std::size_t k = 1; k <= 10; ++k)
    result.cells.push_back(near(fmt::format("E({:.1f}), {}", tenth(k), title(run)), energy_at(s, tenth(k)),
                                expected(run, k).energy, step_tolerance, same_steps));
}

Solution exact_motion() { return finished(prepare(dop853_plan("slider_crank", 1e-9, 1e-13, {1, Grid{0.002}}))); }

void compare_exact(const Solution& s, Index component, double CrankRow::*member, const std::string& name,
                   FigureResult& result) {
  for (std::size_t k = 1; k <= 10; ++k)
    result.cells.push_back(near(fmt::format("{}({:.1f}), followed", name, tenth(k)), state_at(s, tenth(k))[component],
                                exact_crank[k - 1].*member, exact_tolerance,
                                computed_by("extrapolation in extended precision")));
}

FigureResult oscillations(bool) {
  FigureResult result;
  const Run run{2000, 0.75};
  const Solution s = crank(run), exact = exact_motion();
  for (const auto& [component, name] : {std::pair{middle, "w of the middle"}, {tip, "w of the tip"}}) {
    Chart chart = seconds_chart(name, title(run), {"w", "m", false});
    chart.series = {curve("alpha method", s, component), curve("followed", exact, component)};
    result.charts.push_back(std::move(chart));
  }
  compare(run, s, middle, &CrankRow::middle, "w_middle", result);
  compare(run, s, tip, &CrankRow::tip, "w_tip", result);
  compare_exact(exact, middle, &CrankRow::middle, "w_middle", result);
  compare_exact(exact, tip, &CrankRow::tip, "w_tip", result);
  result.remark =
      "The print shows curves without digits. The section of the rod is not printed; see the page of the model.";
  return result;
}

FigureResult rigid_motion(bool) {
  FigureResult result;
  const Run run{2000, 0.75};
  const Solution index2 = crank(run), cm = crank(run, "cm"), exact = exact_motion();
  compare(run, index2, phi2, &CrankRow::phi2, "phi2", result);
  compare_exact(exact, phi2, &CrankRow::phi2, "phi2", result);
  for (std::size_t k = 1; k <= 10; ++k) {
    const Vec a = state_at(index2, tenth(k)), b = state_at(cm, tenth(k)), e = state_at(exact, tenth(k));
    result.cells.push_back(near(fmt::format("CM - index-2 in phi2({:.1f})", tenth(k)), b[phi2] - a[phi2], 0,
                                step_tolerance, expected_since("the same equations")));
    for (const auto& [component, name] : {std::pair{phi1, "phi1"}, {slider, "x3"}})
      result.cells.push_back(near(fmt::format("{}({:.1f}) against the followed motion", name, tenth(k)), a[component],
                                  e[component], 2e-4, expected_since("the slow motion is kept")));
  }
  Chart chart = seconds_chart("phi2", title(run), {"phi2", "rad", false});
  chart.series = {curve("index-2", index2, phi2), curve("CM", cm, phi2), curve("followed", exact, phi2)};
  result.charts = {std::move(chart)};
  return result;
}

FigureResult damped_vibration(bool) {
  FigureResult result;
  Chart chart = seconds_chart("w of the middle", "h = 1/500", {"w", "m", false});
  for (const double rho : {0.5, 0.0}) {
    const Run run{500, rho};
    const Solution s = crank(run);
    compare(run, s, middle, &CrankRow::middle, "w_middle", result);
    chart.series.push_back(curve(fmt::format("rho = {}", rho), s, middle));
  }
  result.charts = {std::move(chart)};
  return result;
}

constexpr const char* energy_remark =
    "The energy grows until the torque ends and would stay at 0.3212890166. A step that passes t = 0.3 adds an error "
    "of order h (0.0030 with h = 1/300); these steps end there and start anew.";

FigureResult energies(const std::vector<Run>& runs, const char* note) {
  FigureResult result;
  Chart chart = seconds_chart("Energy", note, {"energy", "J", false});
  for (const Run& run : runs) {
    const Solution s = crank(run);
    compare_energy(run, s, result);
    result.cells.push_back(near(fmt::format("E(1) against the followed motion, {}", title(run)), energy_at(s, 1),
                                exact_crank[9].energy, 3e-4, expected_since("the slow motion is kept")));
    chart.series.push_back(energy_curve(title(run), s));
  }
  result.charts = {std::move(chart)};
  result.remark = energy_remark;
  return result;
}

FigureResult by_form(bool) {
  FigureResult result;
  const Run run{500, 0.75};
  const Solution index2 = crank(run), cm = crank(run, "cm");
  compare_energy(run, index2, result);
  for (std::size_t k = 1; k <= 10; ++k)
    result.cells.push_back(near(fmt::format("CM - index-2 in E({:.1f})", tenth(k)),
                                energy_at(cm, tenth(k)) - energy_at(index2, tenth(k)), 0, step_tolerance,
                                expected_since("the same equations")));
  Chart chart = seconds_chart("Energy", title(run), {"energy", "J", false});
  chart.series = {energy_curve("index-2", index2), energy_curve("CM", cm)};
  result.charts = {std::move(chart)};
  result.remark =
      "The print shows less energy with CM than with index-2. Both solve the same equations: where their iterations "
      "converge, no difference can be left.";
  return result;
}
}  // namespace
}  // namespace papers::ypr98

void register_figure_ypr98_crank(FigureRegistry& registry) {
  using namespace papers::ypr98;
  registry.add({"ypr98_fig7", "Oscillations of the flexible rod", "YPR98 fig. 7", oscillations});
  registry.add({"ypr98_fig8", "Rigid motion of the slider crank", "YPR98 fig. 8", rigid_motion});
  registry.add({"ypr98_fig9", "Damped vibration of the rod", "YPR98 fig. 9", damped_vibration});
  registry.add({"ypr98_fig10", "Energy of the slider crank by damping", "YPR98 fig. 10", [](bool) {
                  return energies({{500, 0}, {500, 0.5}, {500, 0.75}}, "h = 1/500");
                }});
  registry.add({"ypr98_fig11", "Energy of the slider crank by step size", "YPR98 fig. 11", [](bool) {
                  return energies({{300, 0.75}, {500, 0.75}, {750, 0.75}}, "rho = 0.75");
                }});
  registry.add({"ypr98_fig12", "Energy of the slider crank by formulation", "YPR98 fig. 12", by_form});
}
}  // namespace trill
