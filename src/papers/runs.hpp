// SPDX-License-Identifier: BSD-3-Clause
// How figures run methods and read the results.
#pragma once

#include "trill/driver/plan.hpp"
#include "trill/report/chart.hpp"

namespace trill::papers {
std::string digits(double value);  // all digits, for a parameter

struct Span {
  double to;
  Output output;
};
RunPlan dop853_plan(const std::string& model, double rtol, double atol, const Span& span);
Solution finished(PreparedRun run);  // UsageError if the run did not reach its end

Index row_at(const std::vector<double>& times, double t);  // UsageError if nothing was recorded at t
ChartSeries curve(std::string label, const Solution& s, Index component);

// Runs a method step by step, with the tolerances of a run with fixed steps. Such a run halves a step whose iteration
// fails; here the failure is to be seen.
class Steps {
 public:
  Steps(const Problem& problem, const std::string& method, const OptionSet& options);
  StepResult step(double h);
  bool advance(double h) { return step(h).status == StepStatus::ok; }
  const State& state() const { return s_; }
  const Stepper& stepper() const { return *stepper_; }

 private:
  std::unique_ptr<Stepper> stepper_;
  State s_;
  ErrorScale scale_;
  Vec weights_;
  Notes notes_;
  Counters work_;
  bool first_ = true;
};
}  // namespace trill::papers
