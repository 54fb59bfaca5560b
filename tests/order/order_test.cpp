// SPDX-License-Identifier: BSD-3-Clause
// Has every method its claimed order, in positions, velocities, multipliers and inside its steps?
#include "support/method_cases.hpp"
#include "trill/analysis/convergence.hpp"

namespace trill::test {
namespace {
constexpr double floor_of_errors = 2e-12;

RunPlan plan_for(const MethodCase& c, const ModelCase& m) {
  RunPlan plan;
  plan.model = m.model;
  plan.parameters = m.parameters;
  plan.method = c.info.name;
  plan.options = c.options;
  plan.to = m.to;
  plan.h = 0.1;
  return plan;
}

struct Study {
  std::vector<ConvergenceRow> rows;
  int used(double ConvergenceRow::*error) const {
    return static_cast<int>(
        std::count_if(rows.begin(), rows.end(), [&](const auto& r) { return r.*error > floor_of_errors; }));
  }
};

// Starts coarse and drops the rows that are not yet in the asymptotic range: only the last six above rounding count.
Study study(const MethodCase& c, const ModelCase& m) {
  RunPlan plan = plan_for(c, m);
  plan.h = first_step(plan, c.info.order >= 6 ? 10 : 24);
  const Reference reference = reference_solution(plan);
  Study s{convergence_table(plan, reference, 7)};
  const auto above = [](const ConvergenceRow& r) { return std::isfinite(r.error()) && r.error() > floor_of_errors; };
  while (!s.rows.empty() && !above(s.rows.back())) s.rows.pop_back();
  if (s.rows.size() > 5) s.rows.erase(s.rows.begin(), s.rows.end() - 5);
  return s;
}

class Order : public testing::TestWithParam<MethodCase> {};

TEST_P(Order, IsTheClaimedOne) {
  const MethodCase& c = GetParam();
  for (const ModelCase& m : smooth_models(c.info.accepts)) {
    SCOPED_TRACE(m.model);
    const Study s = study(c, m);
    for (const auto error : {&ConvergenceRow::error_q, &ConvergenceRow::error_v}) {
      if (s.used(error) == 0) continue;  // no velocities, or exact to rounding from the start
      ASSERT_GE(s.used(error), 3) << "too few step sizes above rounding";
      const double tolerance = s.used(error) >= 5 ? 0.15 : 0.3;
      const double order = observed_order(s.rows, error, floor_of_errors);
      EXPECT_GT(order, c.info.order - tolerance);
      // A symmetric method on a special problem may do better, but a claim that is far too low is wrong as well.
      EXPECT_LT(order, c.info.order + 2.5);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Registry, Order,
                         testing::ValuesIn(cases_where([](const MethodInfo& i) { return i.order > 0; })), case_name);

TEST_P(Order, IsNotHigherOnAGenericProblem) {
  const MethodCase& c = GetParam();
  if (c.info.accepts.circuit) GTEST_SKIP() << "the rectifier switches";
  const ModelCase m =
      c.info.accepts.mechanical ? ModelCase{"kepler", {{"e", "0.3"}}, 2} : smooth_models(c.info.accepts)[0];
  const Study s = study(c, m);
  const double order = observed_order(s.rows, &ConvergenceRow::error_q, floor_of_errors);
  EXPECT_NEAR(order, c.info.order, s.used(&ConvergenceRow::error_q) >= 5 ? 0.15 : 0.35);
}

class MultiplierOrder : public testing::TestWithParam<MethodCase> {};

TEST_P(MultiplierOrder, IsTheClaimedOne) {
  const MethodCase& c = GetParam();
  Accepts constrained;
  constrained.constrained = true;
  for (const ModelCase& m : smooth_models(constrained)) {
    const Study s = study(c, m);
    const double order = observed_order(s.rows, &ConvergenceRow::error_lambda, floor_of_errors);
    EXPECT_NEAR(order, c.info.order_lambda, 0.35);
  }
}

INSTANTIATE_TEST_SUITE_P(Registry, MultiplierOrder, testing::ValuesIn(cases_where([](const MethodInfo& i) {
                           return i.accepts.constrained && i.order > 0;
                         })),
                         case_name);

class DenseOrder : public testing::TestWithParam<MethodCase> {};

double largest_inside_error(const RunPlan& plan, const RunPlan& reference_plan) {
  std::vector<double> times;
  // Times that fall at odd places inside steps.
  for (int i = 1; i < 40; ++i) times.push_back(*plan.to * (i - 0.3819660113) / 40);
  RunPlan a = plan, b = reference_plan;
  a.output = b.output = Times{times};
  const Solution ours = prepare(a).run(), theirs = prepare(b).run();
  const Index n = ours.info.layout.nq + ours.info.layout.nv;
  return (ours.y() - theirs.y()).topRows(n).leftCols(static_cast<Index>(times.size()) + 1).cwiseAbs().maxCoeff();
}

TEST_P(DenseOrder, IsTheClaimedOne) {
  const MethodCase& c = GetParam();
  const ModelCase m = smooth_models(c.info.accepts).front();
  RunPlan plan = plan_for(c, m), reference = plan;
  const double h0 = first_step(plan, c.info.order >= 6 ? 5 : 12);
  reference.options.clear();
  if (c.info.accepts.langevin || c.info.accepts.circuit) {
    reference.options = c.options;
    reference.h = h0 / 512;
  } else {
    reference.method = "dop853";
    reference.h.reset();
    reference.rtol = 1e-13;
    reference.atol = 1e-15;
  }
  double sx = 0, sy = 0, sxx = 0, sxy = 0, n = 0;
  for (int i = 0; i < 5; ++i) {
    plan.h = h0 / (1 << i);
    const double error = largest_inside_error(plan, reference);
    if (error < 1e-11) break;
    const double x = std::log(*plan.h), y = std::log(error);
    sx += x, sy += y, sxx += x * x, sxy += x * y, n += 1;
  }
  ASSERT_GE(n, 3);
  EXPECT_GT((n * sxy - sx * sy) / (n * sxx - sx * sx), c.info.dense_order - 0.3);
}

INSTANTIATE_TEST_SUITE_P(Registry, DenseOrder,
                         testing::ValuesIn(cases_where([](const MethodInfo& i) { return i.order > 0; })), case_name);
}  // namespace
}  // namespace trill::test
