// SPDX-License-Identifier: BSD-3-Clause
#include "papers/ypr98.hpp"

#include <cmath>

#include <fmt/format.h>

namespace trill::ypr98 {
Solution follow(const Setting& setting, const Output& output) {
  RunPlan plan;
  plan.model = setting.model;
  plan.parameters = setting.parameters;
  plan.method = "generalized_alpha";
  // Every step is to be made as long as it was asked for, however hard its iteration is.
  plan.options = {{"rho", fmt::format("{}", setting.rho)},
                  {"formulation", setting.formulation},
                  {"iterations", "100"},
                  {"gaps", "forces"}};
  plan.h = setting.h;
  plan.to = setting.to;
  plan.output = output;
  Solution solution = prepare(plan).run();
  if (!solution.ok()) throw UsageError(setting.model + ": " + solution.outcome.message);
  return solution;
}

namespace {
Index row_at(const Solution& s, double t) {
  for (Index k = 0; k < s.rows(); ++k)
    if (std::abs(s.t[static_cast<std::size_t>(k)] - t) <= 1e-9 * (1 + std::abs(t))) return k;
  throw UsageError(fmt::format("nothing was recorded at t = {}", t));
}

Index energy_row(const Solution& s) {
  const auto& names = s.info.quantities;
  return std::find_if(names.begin(), names.end(), [](const Quantity& q) { return q.name == "energy"; }) - names.begin();
}

ChartSeries series_of(std::string label, const Solution& s) { return {std::move(label), s.t, {}}; }
}  // namespace

Vec state_at(const Solution& s, double t) { return s.y().col(row_at(s, t)); }

double energy_at(const Solution& s, double t) { return s.measured()(energy_row(s), row_at(s, t)); }

ChartSeries curve(std::string label, const Solution& s, Index component) {
  ChartSeries series = series_of(std::move(label), s);
  for (Index k = 0; k < s.rows(); ++k) series.y.push_back(s.y()(component, k));
  return series;
}

ChartSeries energy_curve(std::string label, const Solution& s) {
  ChartSeries series = series_of(std::move(label), s);
  for (Index k = 0; k < s.rows(); ++k) series.y.push_back(s.measured()(energy_row(s), k));
  return series;
}

FigureCell near(std::string label, double ours, double expected, double tolerance, std::string origin) {
  return {.label = std::move(label),
          .ours = ours,
          .published = expected,
          .tolerance = tolerance,
          .relative = false,
          .origin = std::move(origin)};
}

FigureCell shown(std::string label, double ours, double published, std::string origin) {
  FigureCell cell = near(std::move(label), ours, published, 0, std::move(origin));
  cell.gated = false;
  return cell;
}
}  // namespace trill::ypr98
