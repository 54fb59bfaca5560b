// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "trill/driver/plan.hpp"

namespace trill {
// A solution to compare with at the end of an interval: the model's closed form, or dop853 at rtol 1e-13, or (if dop853
// cannot run the model) the method itself with much smaller steps.
struct Reference {
  State at_end;
  std::string origin;
};
Reference reference_solution(const RunPlan& plan);

struct ConvergenceRow {
  double h = 0, rtol = 0;                             // one of them is set
  double error_q = 0, error_v = 0, error_lambda = 0;  // largest absolute error over the components
  Counters counters;
  RunStatus status = RunStatus::reached_end;
  double error() const { return std::max(error_q, error_v); }
};

// Runs the plan with h, h/2, h/4, ... (or rtol, rtol/10, ...) and compares with the reference.
std::vector<ConvergenceRow> convergence_table(const RunPlan& plan, const Reference& reference, int rows);

double log_slope(const std::vector<double>& x, const std::vector<double>& y);  // least squares, log |y| over log x

// The slope of errors over h, from the rows above rounding; NaN with fewer than two.
double observed_order(const std::vector<ConvergenceRow>& rows, double ConvergenceRow::*error, double floor = 1e-12);

// A first step size for an order study: `per_period` steps in the fastest period at the start, rounded so that it
// divides the interval.
double first_step(const RunPlan& plan, double per_period);
}  // namespace trill
