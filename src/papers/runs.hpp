// SPDX-License-Identifier: BSD-3-Clause
// Runs as figures make them, and how their numbers are read.
#pragma once

#include "trill/driver/plan.hpp"
#include "trill/report/chart.hpp"

namespace trill::papers {
std::string digits(double value);  // all of them, for a parameter

struct Span {
  double to;
  Output output;
};
RunPlan dop853_plan(const std::string& model, double rtol, double atol, const Span& span);
Solution finished(PreparedRun run);  // UsageError where it did not come to the end

Index row_at(const std::vector<double>& times, double t);  // UsageError where nothing was recorded then
ChartSeries curve(std::string label, const Solution& s, Index component);

// A method step by step, with the tolerances of a run with fixed steps: such a run halves a step whose iteration fails,
// and here it is to be seen.
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
