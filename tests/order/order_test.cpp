// SPDX-License-Identifier: BSD-3-Clause
// Tests whether every method has its claimed order in positions, velocities and multipliers, and inside its steps.
#include "analysis/convergence.hpp"
#include "support/method_cases.hpp"

#include <map>
#include <tuple>

namespace trill::test {
namespace {
// The number of times at which errors are compared. Steps end at all of them, so nothing is interpolated. Methods of
// very high order would be at rounding with steps of an eighth of the run, hence the smaller number.
int compared_times(const MethodInfo& info) { return info.order >= 9 ? 2 : 8; }

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

Solution at_compared_times(RunPlan plan, int times, double steps_between) {
  plan.h = *plan.to / times / steps_between;
  plan.output = EveryStep{static_cast<int>(steps_between)};
  return prepare(plan).run();
}

// Larger errors are not in the asymptotic range.
double asymptotic_below(int order) {
  return order >= 9 ? 1e-7 : order >= 8 ? 1e-6 : order >= 4 ? 1e-5 : order >= 2 ? 1e-2 : 5e-2;
}
// Methods of order 1 need many steps to reach it.
int finer_for(int order) { return order == 1 ? 10 : 1; }

struct Reference8 {
  Mat y;
  double floor;  // smaller errors mean nothing
};

// A reference, computed once for all methods that are compared with it.
const Mat& computed_by(const std::string& method, RunPlan plan, int times, double steps_between) {
  static std::map<std::tuple<std::string, std::string, OptionSet, double, int>, Mat> known;
  plan.method = method;
  plan.options.clear();
  Mat& y = known[{method, plan.model, plan.parameters, *plan.to, times}];
  if (y.size() == 0) y = at_compared_times(plan, times, steps_between).y();
  return y;
}

// The reference is dop853 with 400 steps between the times or, if dop853 cannot run the model, a method of order 2
// with many steps.
Reference8 reference_for(const RunPlan& plan, const Accepts& accepts, int times) {
  if (runs_circuits_alone(accepts)) return {at_compared_times(plan, times, 20000).y(), 1e-9};
  if (accepts.langevin) return {computed_by("langevin_splitting", plan, times, 20000), 1e-7};
  return {computed_by("dop853", plan, times, 3200 / times), 2e-12};
}

struct Study {
  std::vector<ConvergenceRow> rows;
  double floor = 0;
  int used(double ConvergenceRow::*error) const {
    return static_cast<int>(std::count_if(rows.begin(), rows.end(), [&](const auto& r) { return r.*error > floor; }));
  }
  double order(double ConvergenceRow::*error) const { return observed_order(rows, error, floor); }
};

// The largest errors over the compared times, for step sizes that fall by factors of about 0.8 down to rounding. Only
// errors between rounding and the asymptotic range are used.
Study study(const MethodCase& c, const ModelCase& m) {
  const RunPlan plan = plan_for(c, m);
  const int times = compared_times(c.info);
  const Reference8 reference = reference_for(plan, c.info.accepts, times);
  Study s{{}, reference.floor};
  const double span = m.to / times;
  double previous = 0;
  for (double wanted = 1; wanted < 400 * finer_for(c.info.order); wanted *= 1.25) {
    const double steps = std::round(wanted);
    if (steps == previous) continue;
    previous = steps;
    const Solution solution = at_compared_times(plan, times, steps);
    if (!solution.ok() || solution.rows() != times + 1) continue;
    const Layout& l = solution.info.layout;
    const Mat error = (solution.y() - reference.y).cwiseAbs();
    ConvergenceRow row;
    row.h = span / steps;
    row.error_q = error.topRows(l.nq).maxCoeff();
    if (l.nv > 0) row.error_v = error.middleRows(l.nq, l.nv).maxCoeff();
    if (l.nl > 0) row.error_lambda = error.bottomRows(l.nl).rightCols(times).maxCoeff();
    if (!(row.error() < asymptotic_below(c.info.order))) continue;
    if (row.error() < reference.floor) break;
    s.rows.push_back(row);
  }
  return s;
}

// For an order of 8, errors between the asymptotic range and rounding cover only five powers of ten, hence the wider
// tolerance. The order conditions of these methods are tested to rounding with their coefficients. Beyond order 8,
// orders are even (Gauss) or also known from the coefficients, and it is enough to distinguish 10 from 8.
double tolerance_for(int order, int rows) { return order >= 10 ? 1 : order >= 8 ? 0.6 : rows >= 8 ? 0.15 : 0.3; }

class Order : public testing::TestWithParam<MethodCase> {};

TEST_P(Order, IsTheClaimedOne) {
  const MethodCase& c = GetParam();
  for (const ModelCase& m : smooth_models(c.info)) {
    SCOPED_TRACE(m.model);
    const Study s = study(c, m);
    for (const auto error : {&ConvergenceRow::error_q, &ConvergenceRow::error_v}) {
      if (s.used(error) == 0) continue;  // there are no velocities, or they are exact up to rounding
      ASSERT_GE(s.used(error), 4) << "too few step sizes above rounding";
      const double tolerance = tolerance_for(c.info.order, s.used(error));
      const double order = s.order(error);
      EXPECT_GT(order, c.info.order - tolerance);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Registry, Order,
                         testing::ValuesIn(cases_where([](const MethodInfo& i) { return i.order > 0; })), case_name);

TEST_P(Order, IsNotHigherOnAGenericProblem) {
  const MethodCase& c = GetParam();
  if (runs_circuits_alone(c.info.accepts)) GTEST_SKIP() << "the rectifier switches";
  // Of the models in a heat bath the first is linear, and lin is exact for it.
  const ModelCase m = c.info.accepts.mechanical ? ModelCase{"kepler", {{"e", "0.4"}}, 3}
                                                : smooth_models(c.info)[c.info.name == "lin" ? 1 : 0];
  const Study s = study(c, m);
  const double order = s.order(&ConvergenceRow::error_q);
  EXPECT_GT(order, c.info.order - tolerance_for(c.info.order, s.used(&ConvergenceRow::error_q)));
  // The order must be nearer to the claimed one than to the next. Pairs with small leading coefficients (dopri5)
  // approach their order from above.
  EXPECT_LT(order, c.info.order + 0.6);
}

class MultiplierOrder : public testing::TestWithParam<MethodCase> {};

TEST_P(MultiplierOrder, IsTheClaimedOne) {
  const MethodCase& c = GetParam();
  Accepts constrained;
  constrained.constrained = true;
  for (const ModelCase& m : smooth_models(constrained)) {
    const Study s = study(c, m);
    const double order = s.order(&ConvergenceRow::error_lambda);
    EXPECT_GT(order, c.info.order_lambda - tolerance_for(c.info.order_lambda, s.used(&ConvergenceRow::error_lambda)));
    EXPECT_LT(order, c.info.order_lambda + 0.6);
  }
}

INSTANTIATE_TEST_SUITE_P(Registry, MultiplierOrder, testing::ValuesIn(cases_where([](const MethodInfo& i) {
                           return i.accepts.constrained && i.order > 0;
                         })),
                         case_name);

class DenseOrder : public testing::TestWithParam<MethodCase> {};

double largest_inside_error(const RunPlan& plan, const RunPlan& reference_plan) {
  std::vector<double> times;
  // The times lie at irregular places inside the steps.
  for (int i = 1; i < 40; ++i) times.push_back(*plan.to * (i - 0.3819660113) / 40);
  RunPlan a = plan, b = reference_plan;
  a.output = b.output = Times{times};
  const Solution ours = prepare(a).run(), theirs = prepare(b).run();
  const Index n = ours.info.layout.nq + ours.info.layout.nv;
  return (ours.y() - theirs.y()).topRows(n).leftCols(static_cast<Index>(times.size()) + 1).cwiseAbs().maxCoeff();
}

TEST_P(DenseOrder, IsTheClaimedOne) {
  const MethodCase& c = GetParam();
  // On the first model a method that is exact for linear forces has no error that could be measured.
  const std::vector<ModelCase> models = smooth_models(c.info);
  const ModelCase m = c.info.name == "trigonometric" ? models.at(1) : models.front();
  RunPlan plan = plan_for(c, m), reference = plan;
  const double h0 = first_step(plan, c.info.order >= 6 ? 5 : 12) / finer_for(c.info.order);
  reference.options.clear();
  if (runs_circuits_alone(c.info.accepts)) {
    reference.options = c.options;
    reference.h = h0 / 512;
  } else {
    reference.method = "dop853";
    reference.h.reset();
    reference.rtol = 1e-13;
    reference.atol = 1e-15;
  }
  double sx = 0, sy = 0, sxx = 0, sxy = 0, n = 0;
  for (int i = 0; i < 16; ++i) {
    plan.h = h0 * std::pow(0.75, i);
    const double error = largest_inside_error(plan, reference);
    if (error > std::max(1e-2, asymptotic_below(c.info.order))) continue;
    if (error < 1e-11) break;
    const double x = std::log(*plan.h), y = std::log(error);
    sx += x, sy += y, sxx += x * x, sxy += x * y, n += 1;
  }
  ASSERT_GE(n, 3);
  EXPECT_GT((n * sxy - sx * sy) / (n * sxx - sx * sx), c.info.dense_order - 0.3);
}

// Rows of random motions are recorded at steps, so nothing is interpolated.
INSTANTIATE_TEST_SUITE_P(Registry, DenseOrder, testing::ValuesIn(cases_where([](const MethodInfo& i) {
                           return i.order > 0 && !i.accepts.langevin;
                         })),
                         case_name);
}  // namespace
}  // namespace trill::test
