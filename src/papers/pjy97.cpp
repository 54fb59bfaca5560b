// SPDX-License-Identifier: BSD-3-Clause
#include "papers/pjy97.hpp"

#include "trill/driver/plan.hpp"

#include <cmath>

#include <fmt/format.h>

namespace trill::pjy97 {
Solution solve(const std::string& model, double to, double dt) {
  RunPlan plan;
  plan.model = model;
  plan.method = "dop853";
  plan.rtol = 1e-12;
  plan.atol = 1e-14;
  plan.to = to;
  plan.output = Grid{dt};
  return prepare(plan).run();
}

std::vector<LocalSpectrum> spectra_along(const std::string& model, const Solution& solution) {
  return eigenvalues_along(*ModelRegistry::all().find(model).make({}), solution);
}

namespace {
Index row_at(const Solution& solution, double t) {
  return static_cast<Index>(std::lround(t / (solution.t[1] - solution.t[0])));
}
}  // namespace

FigureResult states(const Solution& solution, const Expectation& expected) {
  FigureResult result;
  const auto y = solution.y();
  const Index n = y.rows(), times = static_cast<Index>(expected.states.size()) / n;
  for (Index k = 1; k <= times; ++k) {
    const double t = static_cast<double>(k) * expected.every;
    for (Index i = 0; i < n; ++i)
      result.cells.push_back(
          {.label = fmt::format("{}({:.6g})", solution.info.components[static_cast<std::size_t>(i)].name, t),
           .ours = y(i, row_at(solution, t)),
           .published = expected.states[static_cast<std::size_t>((k - 1) * n + i)],
           .tolerance = state_tolerance,
           .relative = false,
           .origin = expected.origin});
  }
  for (Index i = 0; i < n; ++i) {
    const Quantity& component = solution.info.components[static_cast<std::size_t>(i)];
    Chart chart{.title = component.name,
                .note = "",
                .x = {"t", "", false},
                .y = {component.name, component.unit, false},
                .style = ChartStyle::line,
                .series = {{component.name, solution.t, {}}}};
    for (Index k = 0; k < solution.rows(); ++k) chart.series[0].y.push_back(y(i, k));
    result.charts.push_back(std::move(chart));
  }
  result.remark =
      "The print shows curves without digits; the numbers beside ours come from an independent computation.";
  return result;
}

Chart eigenvalue_chart(const std::vector<LocalSpectrum>& spectra) {
  Chart chart{.title = "Eigenvalues along the solution",
              .note = "",
              .x = {"real part", "", false},
              .y = {"imaginary part", "", false},
              .style = ChartStyle::points,
              .series = {{"eigenvalues", {}, {}}}};
  for (const LocalSpectrum& s : spectra)
    for (const auto& value : s.values) {
      chart.series[0].x.push_back(value.real());
      chart.series[0].y.push_back(value.imag());
    }
  return chart;
}

FigureCell extreme(const std::string& label, double ours, double published, double tolerance, const char* origin) {
  return {
      .label = label, .ours = ours, .published = published, .tolerance = tolerance, .relative = true, .origin = origin};
}
}  // namespace trill::pjy97
