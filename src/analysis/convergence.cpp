// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/convergence.hpp"

#include "formulation/frequencies.hpp"

#include <cmath>
#include <numbers>

#include <fmt/format.h>

namespace trill {
namespace {
double largest(const Vec& difference) { return difference.size() == 0 ? 0 : difference.cwiseAbs().maxCoeff(); }

RunPlan only_end(RunPlan plan) {
  plan.output = Times{{}};
  return plan;
}

State end_of(const Solution& solution) {
  State s(solution.info.layout, solution.t.back());
  s.y = solution.y().col(solution.rows() - 1);
  return s;
}

State end_of_reference(const Solution& solution) {
  if (solution.outcome.status != RunStatus::reached_end)
    throw UsageError("there is no reference solution to compare with, because its computation failed " +
                     solution.outcome.message);
  return end_of(solution);
}
}  // namespace

Reference reference_solution(const RunPlan& given) {
  RunPlan plan = only_end(given);
  plan.h.reset();
  plan.rtol.reset();
  plan.atol.reset();
  PreparedRun exact = prepare(plan);
  if (!exact.reformulation) {
    State end(exact.problem->layout(), *exact.plan.to);
    if (exact.problem->exact(end.t, end.y)) return {end, "closed form"};
  }
  const Accepts accepts = exact.way.method->info.accepts;
  if (accepts.first_order || accepts.mechanical || accepts.constrained) {
    plan.method = "dop853";
    plan.options.clear();
    plan.rtol = 1e-13;
    plan.atol = 1e-15;
    return {end_of_reference(prepare(plan).run()), "dop853 with rtol 1e-13"};
  }
  plan.h = *exact.plan.h / 256;
  return {end_of_reference(prepare(plan).run()), fmt::format("{} with h = {:.3g}", exact.plan.method, *plan.h)};
}

std::vector<ConvergenceRow> convergence_table(const RunPlan& given, const Reference& reference, int count) {
  std::vector<ConvergenceRow> rows;
  RunPlan plan = only_end(given);
  for (int i = 0; i < count; ++i) {
    const Solution solution = prepare(plan).run();
    ConvergenceRow row;
    row.h = plan.h.value_or(0);
    row.rtol = plan.rtol.value_or(0);
    row.status = solution.outcome.status;
    row.counters = solution.outcome.counters;
    const State end = end_of(solution);
    row.error_q = largest(end.q() - reference.at_end.q());
    row.error_v = largest(end.v() - reference.at_end.v());
    row.error_lambda = largest(end.lambda() - reference.at_end.lambda());
    if (!solution.ok()) row.error_q = row.error_v = row.error_lambda = HUGE_VAL;
    rows.push_back(row);
    if (plan.h) plan.h = *plan.h / 2;
    if (plan.rtol) {
      plan.rtol = *plan.rtol / 10;
      if (plan.atol) plan.atol = *plan.atol / 10;
    }
  }
  return rows;
}

double log_slope(const std::vector<double>& x, const std::vector<double>& y) {
  double sx = 0, sy = 0, sxx = 0, sxy = 0;
  const auto n = static_cast<double>(x.size());
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double lx = std::log(x[i]), ly = std::log(std::abs(y[i]));
    sx += lx;
    sy += ly;
    sxx += lx * lx;
    sxy += lx * ly;
  }
  return (n * sxy - sx * sy) / (n * sxx - sx * sx);
}

double observed_order(const std::vector<ConvergenceRow>& rows, double ConvergenceRow::*error, double floor) {
  std::vector<double> h, errors;
  for (const ConvergenceRow& row : rows) {
    if (!(row.*error > floor) || !std::isfinite(row.*error)) continue;
    h.push_back(row.h);
    errors.push_back(row.*error);
  }
  return h.size() < 2 ? std::nan("") : log_slope(h, errors);
}

double first_step(const RunPlan& plan, double per_period) {
  const PreparedRun run = prepare(plan);
  const double span = std::abs(*run.plan.to - *run.plan.from);
  const double omega = fastest_frequency(run.reformulation ? run.reformulation->inner() : *run.problem, run.start);
  const double wanted = omega > 0 ? 2 * std::numbers::pi / omega / per_period : span / per_period;
  return span / std::ceil(span / std::min(wanted, span));
}
}  // namespace trill
