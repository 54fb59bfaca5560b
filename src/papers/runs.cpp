// SPDX-License-Identifier: BSD-3-Clause
#include "papers/runs.hpp"

#include <cmath>

#include <fmt/format.h>

namespace trill::papers {
std::string digits(double value) { return fmt::format("{:.17g}", value); }

RunPlan dop853_plan(const std::string& model, double rtol, double atol, const Span& span) {
  RunPlan plan;
  plan.model = model;
  plan.method = "dop853";
  plan.rtol = rtol;
  plan.atol = atol;
  plan.to = span.to;
  plan.output = span.output;
  return plan;
}

Solution finished(PreparedRun run) {
  Solution solution = run.run();
  if (!solution.ok()) throw UsageError(solution.info.problem + " " + solution.outcome.message);
  return solution;
}

Index row_at(const std::vector<double>& times, double t) {
  for (std::size_t k = 0; k < times.size(); ++k)
    if (std::abs(times[k] - t) <= 1e-9 * (1 + std::abs(t))) return static_cast<Index>(k);
  throw UsageError(fmt::format("nothing was recorded at t = {}", t));
}

ChartSeries curve(std::string label, const Solution& s, Index component) {
  ChartSeries series{std::move(label), s.t, {}};
  for (Index k = 0; k < s.rows(); ++k) series.y.push_back(s.y()(component, k));
  return series;
}

Steps::Steps(const Problem& problem, const std::string& method, const OptionSet& options)
    : stepper_(Catalogue::all().method(method).make(problem, options)),
      s_(problem.initial_state()),
      scale_{.rtol = 1e-10, .atol = Vec::Constant(s_.y.size(), 1e-12)},
      weights_(Vec::Ones(s_.y.size())) {
  stepper_->start(s_, scale_);
}

StepResult Steps::step(double h) {
  scale_.weights(s_.y, weights_);
  const StepResult result =
      stepper_->step(s_, {h, scale_, weights_, HUGE_VAL, first_, false, notes_, work_, RandomKey{}});
  first_ = false;
  return result;
}
}  // namespace trill::papers
