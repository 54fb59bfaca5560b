// SPDX-License-Identifier: BSD-3-Clause
#include "papers/ypr98.hpp"

#include <fmt/format.h>

namespace trill::papers::ypr98 {
Solution follow(const Setting& setting, const Output& output) {
  RunPlan plan;
  plan.model = setting.model;
  plan.parameters = setting.parameters;
  plan.method = "generalized_alpha";
  // Every step must have the requested length, however hard its iteration is.
  plan.options = {{"rho", fmt::format("{}", setting.rho)},
                  {"formulation", setting.formulation},
                  {"iterations", "100"},
                  {"gaps", "forces"}};
  plan.h = setting.h;
  plan.to = setting.to;
  plan.output = output;
  return finished(prepare(plan));
}

Vec state_at(const Solution& s, double t) { return s.y().col(row_at(s.t, t)); }

double energy_at(const Solution& s, double t) { return s.measured()(s.quantity("energy"), row_at(s.t, t)); }

ChartSeries energy_curve(std::string label, const Solution& s) {
  ChartSeries series{std::move(label), s.t, {}};
  const Index energy = s.quantity("energy");
  for (Index k = 0; k < s.rows(); ++k) series.y.push_back(s.measured()(energy, k));
  return series;
}
}  // namespace trill::papers::ypr98
