// SPDX-License-Identifier: BSD-3-Clause
#include "support/mentions.hpp"
#include "support/small_problems.hpp"
#include "trill/analysis/stability.hpp"
#include "trill/driver/plan.hpp"

namespace trill::test {
namespace {
Mat2 matrix(int m, double mu) {
  return stability_matrix(Catalogue::all().method("nested_nystrom"), {{"m", std::to_string(m)}}, mu);
}

TEST(NestedNystrom, LimitsOfPeriodicity) {
  const double limits[] = {2, 3.46410161514, 2.75171154319, 4.63478261363, 3.08708309361};
  for (int m = 1; m <= 5; ++m) {
    const double end = limits[m - 1];
    EXPECT_LT(std::abs(matrix(m, end * (1 - 1e-7)).trace()), 2) << m;
    EXPECT_GT(std::abs(matrix(m, end * (1 + 1e-7)).trace()), 2) << m;
    for (double mu = 0.01; mu < end; mu += 0.01) ASSERT_LE(std::abs(matrix(m, mu).trace()), 2) << m << " " << mu;
  }
}

// The difference b - 1 is (-1)^(m-1)/(2 m + 2)! mu^(2 m).
TEST(NestedNystrom, DispersionOrderAndConstant) {
  double factorial = 2;
  for (int m = 1; m <= 5; ++m) {
    factorial *= (2 * m + 1) * (2 * m + 2);
    const double mu = m < 3 ? 0.05 : m < 5 ? 0.3 : 0.4;
    const double error = std::acos(0.5 * matrix(m, mu).trace()) / mu - 1;
    const double expected = (m % 2 == 1 ? 1 : -1) / factorial;
    EXPECT_NEAR(error / std::pow(mu, 2 * m) / expected, 1, 0.04) << m;
  }
}

TEST(NestedNystrom, DampsNothing) {
  for (int m = 1; m <= 5; ++m)
    for (const double mu : {0.1, 1.0, 1.9, 3.0}) EXPECT_NEAR(matrix(m, mu).determinant(), 1, 2e-14) << m << " " << mu;
}

// Areas in phase space are also kept in a nonlinear motion, since the nested force depends on q alone.
TEST(NestedNystrom, KeepsAreasOfNonlinearMotion) {
  const auto end = [](double q, double v) {
    return at_end(one_mass(q, v, [](double x) { return -std::sin(x); }), "nested_nystrom", {{"m", "4"}}, 8, 20);
  };
  const double d = 1e-5;
  Mat2 derivative;
  derivative.col(0) = (end(1 + d, 0.2) - end(1 - d, 0.2)) / (2 * d);
  derivative.col(1) = (end(1, 0.2 + d) - end(1, 0.2 - d)) / (2 * d);
  EXPECT_NEAR(derivative.determinant(), 1, 1e-8);
}

// The order is 2 on a nonlinear problem and 2 m on a linear one.
TEST(NestedNystrom, Orders) {
  const auto order = [](const Problem& problem, int m, const Vec& exact, int steps) {
    const OptionSet options{{"m", std::to_string(m)}};
    const double a = std::abs(at_end(problem, "nested_nystrom", options, 5, steps)[0] - exact[0]);
    return std::log2(a / std::abs(at_end(problem, "nested_nystrom", options, 5, 2 * steps)[0] - exact[0]));
  };
  const auto pendulum = one_mass(2, 0, [](double x) { return -std::sin(x); });
  const Vec exact = at_end(pendulum, "dop853", {}, 5, 500);
  EXPECT_NEAR(order(pendulum, 2, exact, 200), 2, 0.1);
  EXPECT_NEAR(order(oscillator(1), 1, Vec::Constant(1, std::cos(5.0)), 50), 2, 0.1);
  EXPECT_NEAR(order(oscillator(1), 2, Vec::Constant(1, std::cos(5.0)), 30), 4, 0.1);
  EXPECT_NEAR(order(oscillator(1), 3, Vec::Constant(1, std::cos(5.0)), 10), 6, 0.3);
}

// The nested force at the end of a step depends on h. After a change of h it has to be computed again.
TEST(NestedNystrom, AnotherStepSizeStartsAfresh) {
  const auto problem = one_mass(1, 0.2, [](double x) { return -std::sin(x); });
  Walk changed(problem, "nested_nystrom"), fresh(problem, "nested_nystrom");
  changed.walk(0.4, 3);
  fresh.s = changed.s;
  EXPECT_EQ(changed.walk(0.1, 2), fresh.walk(0.1, 2));
}

TEST(NestedNystrom, CountsItsForces) {
  Walk walk(oscillator(1), "nested_nystrom", {{"m", "4"}});
  walk.walk(0.1, 10);
  EXPECT_EQ(walk.work.most_forces(), 4 * 11);
}

TEST(NestedNystrom, RefusesWhatItCannotSolve) {
  const auto made = make_model("rigid", {});
  EXPECT_THAT(refusal([&] { Catalogue::all().method("nested_nystrom").make(*made.problem, {}); }),
              mentions("nested_nystrom", "constraints", "'pendulum/rigid'"));
}

// A force that is NaN only at an inner point must be noticed, although the force at the outer point is finite.
TEST(NestedNystrom, SeesInnerPointsOutsideTheDomain) {
  const auto problem = one_mass(1, 0, [](double x) { return x == 1 ? std::nan("") : 0.0; });
  Walk walk(problem, "nested_nystrom", {{"m", "2"}});
  EXPECT_EQ(walk.step(0.1).status, StepStatus::non_finite);
  EXPECT_EQ(walk.s.y[0], 1);
}
}  // namespace
}  // namespace trill::test
