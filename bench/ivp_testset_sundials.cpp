// SPDX-License-Identifier: BSD-3-Clause
// The number of correct digits of SUNDIALS on the mechanical problems of the test set, with formulas of order 2. The
// digits of IDA with an error test for positions are shown beside those of generalized_alpha in the figure
// ivp_testset.
#include "ida_ggl.hpp"
#include "papers/ivp_testset.hpp"
#include "trill/driver/plan.hpp"

#include <fmt/format.h>

namespace {
using namespace trill;
using papers::ivp::TestProblem;

RunPlan plan_of(const TestProblem& problem, double rtol) {
  RunPlan plan;
  plan.model = problem.model;
  plan.method = "cvode_bdf";
  plan.options = {{"max_order", "2"}};
  plan.rtol = rtol;
  return plan;
}

double digits_of_cvode(const TestProblem& problem, double rtol) {
  const Solution s = prepare(plan_of(problem, rtol)).run();
  return s.ok() ? digits_of(problem, s.y().col(s.rows() - 1)) : 0;
}

double digits_of_ida(const TestProblem& problem, double rtol, bool velocities) {
  const PreparedRun run = prepare(plan_of(problem, rtol));
  bench::IdaGgl ida(dynamic_cast<const MechanicalProblem&>(*run.problem));
  const bench::IdaRun result = ida.run(run.start, {*run.plan.to}, {rtol, rtol / 1000, velocities, 2}, 10'000'000);
  return result.ok ? digits_of(problem, result.rows.col(0)) : 0;
}

bool is_for_alpha(const TestProblem& problem) { return problem.trials.back().reason.empty(); }

}  // namespace

int main() {
  for (const TestProblem& problem : papers::ivp::problems()) {
    if (!is_for_alpha(problem)) continue;
    for (const double rtol : papers::ivp::tolerances)
      fmt::print("{} rtol {:.0e}: IDA {:.2f}, with velocities in the error test {:.2f}, CVODE {:.2f}\n", problem.model,
                 rtol, digits_of_ida(problem, rtol, false), digits_of_ida(problem, rtol, true),
                 digits_of_cvode(problem, rtol));
  }
}
