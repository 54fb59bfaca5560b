// SPDX-License-Identifier: BSD-3-Clause
#include "papers/pjy97.hpp"

#include "papers/runs.hpp"

#include <cmath>

#include <fmt/format.h>

namespace trill::papers::pjy97 {
Solution solve(const std::string& model, double to, double dt) {
  return prepare(dop853_plan(model, 1e-12, 1e-14, {to, Grid{dt}})).run();
}

std::vector<LocalSpectrum> spectra_along(const std::string& model, const Solution& solution) {
  return eigenvalues_along(*ModelRegistry::all().find(model).make({}), solution);
}

FigureResult states(const Solution& solution, const Expectation& expected) {
  FigureResult result;
  const auto y = solution.y();
  const auto& components = solution.info.components;
  const std::size_t n = components.size(), times = expected.states.size() / n;
  for (std::size_t k = 1; k <= times; ++k) {
    const double t = static_cast<double>(k) * expected.every;
    const Index row = row_at(solution.t, t);
    for (std::size_t i = 0; i < n; ++i)
      result.cells.push_back(near(fmt::format("{}({:.6g})", components[i].name, t), y(static_cast<Index>(i), row),
                                  expected.states[(k - 1) * n + i], state_tolerance, expected.origin));
  }
  for (std::size_t i = 0; i < n; ++i) {
    const std::string& name = components[i].name;
    result.charts.push_back(
        time_chart(name, "", {name, components[i].unit}, {curve(name, solution, static_cast<Index>(i))}));
  }
  result.remark =
      "The print shows curves without digits; the numbers beside ours come from an independent computation.";
  return result;
}

Average average_of(const Solution& s, const std::string& measure, double unit) {
  return average_of(s.measured().row(s.quantity(measure)).transpose() / unit, s.t[1] - s.t[0]);
}

Average average_of(const Vec& values, double spacing) {
  const auto first = static_cast<Index>(start_left_out * static_cast<double>(values.size()));
  return trill::average_of({values.data() + first, static_cast<std::size_t>(values.size() - first)}, spacing);
}

FigureCell sampled(const std::string& label, const Average& found, double expected, double their_error,
                   CellOrigin origin) {
  return near(fmt::format("{}, sampled, standard error {:.1e}", label, found.error), found.mean, expected,
              5 * std::hypot(found.error, their_error), std::move(origin));
}

Chart eigenvalue_chart(const std::vector<LocalSpectrum>& spectra) {
  Chart chart{.title = "Eigenvalues along the solution",
              .note = "",
              .x = {"real part", "", false},
              .y = {"imaginary part", "", false},
              .style = ChartStyle::points,
              .series = {{"eigenvalues", {}, {}}}};
  for (const LocalSpectrum& s : spectra)
    for (const auto& value : s.values) add_point(chart.series[0], value.real(), value.imag());
  return chart;
}
}  // namespace trill::papers::pjy97
