// SPDX-License-Identifier: BSD-3-Clause
// Tests whether every flag of MethodInfo is true, by steps on the oscillator from basis states.
#include "support/method_cases.hpp"
#include "trill/analysis/stability.hpp"

namespace trill::test {
namespace {
class Claims : public testing::TestWithParam<MethodCase> {
 protected:
  Mat2 matrix(double mu) const { return stability_matrix(*GetParam().entry, GetParam().options, mu); }
  static std::vector<double> sample() { return {0.03, 0.1, 0.5, 1.0, 1.5, 1.9}; }
};

TEST_P(Claims, Symplectic) {
  double largest = 0;
  for (const double mu : sample()) largest = std::max(largest, std::abs(matrix(mu).determinant() - 1));
  // Langevin splitting without friction is symplectic too, but this is not its purpose, so it has no such flag.
  if (GetParam().info.symplectic || GetParam().info.area_preserving) {
    EXPECT_LT(largest, 1e-11);
  } else if (!GetParam().info.accepts.langevin && !runs_circuits_alone(GetParam().info.accepts) &&
             !GetParam().info.p_stable) {
    // On the oscillator all P-stable methods preserve areas, even if they are not symplectic on other problems
    // (Lobatto IIIA and IIIB).
    if (GetParam().info.implicit_step) largest = std::max(largest, std::abs(matrix(8).determinant() - 1));
    EXPECT_GT(largest, 1e-6) << "symplectic, but not flagged so";
  }
}

TEST_P(Claims, Symmetric) {
  double largest = 0;
  for (const double mu : sample())
    largest = std::max(largest, (matrix(-mu) * matrix(mu) - Mat2::Identity()).cwiseAbs().maxCoeff());
  if (GetParam().info.symmetric) {
    EXPECT_LT(largest, 1e-10);
  } else if (!GetParam().info.accepts.langevin && !runs_circuits_alone(GetParam().info.accepts)) {
    if (GetParam().info.implicit_step)
      largest = std::max(largest, (matrix(-8) * matrix(8) - Mat2::Identity()).cwiseAbs().maxCoeff());
    EXPECT_GT(largest, 1e-6) << "symmetric, but not flagged so";
  }
}

TEST_P(Claims, PStable) {
  if (runs_circuits_alone(GetParam().info.accepts))
    GTEST_SKIP() << "the trapezoidal rule is P-stable; circuits make no such claim";
  const StabilityReport report = analyse_stability(*GetParam().entry, GetParam().options, 4);
  EXPECT_EQ(report.p_stable, GetParam().info.p_stable);
}

// The error of one step on the oscillator is O(mu^(order+1)). For a method with memory the first step, which is made
// only once, may have one order less.
TEST_P(Claims, LocalOrder) {
  const auto error = [&](double mu) {
    Mat2 exact;
    exact << std::cos(mu), std::sin(mu), -std::sin(mu), std::cos(mu);
    return (matrix(mu) - exact).cwiseAbs().maxCoeff();
  };
  const double mu = GetParam().info.order >= 9 ? 2 : GetParam().info.order >= 6 ? 0.5 : 0.1;
  const double expected = GetParam().info.order + (GetParam().info.multistep ? 0 : 1);
  EXPECT_GT(std::log2(error(mu) / error(mu / 2)), expected - 0.4);
}

INSTANTIATE_TEST_SUITE_P(Registry, Claims,
                         testing::ValuesIn(cases_where([](const MethodInfo& i) { return !i.owns_step; })), case_name);

// The matrices of one step in closed form, PJY97 sec. 2: Verlet and the implicit midpoint rule.
TEST(ClosedForm, VerletMatrix) {
  for (const double mu : {0.3, 1.1, 1.9}) {
    const Mat2 m = stability_matrix(Catalogue::all().method("verlet"), {}, mu);
    Mat2 exact;
    exact << 1 - mu * mu / 2, mu, -mu * (1 - mu * mu / 4), 1 - mu * mu / 2;
    EXPECT_LT((m - exact).cwiseAbs().maxCoeff(), 1e-14);
  }
}

TEST(ClosedForm, MidpointMatrix) {
  for (const double mu : {0.3, 1.1, 7.0, 300.0}) {
    const Mat2 m = stability_matrix(Catalogue::all().method("implicit_midpoint"), {}, mu);
    const double d = 1 + mu * mu / 4;
    Mat2 exact;
    exact << (1 - mu * mu / 4) / d, mu / d, -mu / d, (1 - mu * mu / 4) / d;
    EXPECT_LT((m - exact).cwiseAbs().maxCoeff(), 1e-11) << mu;
  }
}

TEST(Interval, OfPeriodicity) {
  EXPECT_NEAR(analyse_stability(Catalogue::all().method("verlet"), {}).periodicity_end, 2, 1e-6);
  EXPECT_TRUE(analyse_stability(Catalogue::all().method("implicit_midpoint"), {}).p_stable);
  // rk4 is stable on the imaginary axis up to 2 sqrt(2) and damps inside this interval.
  const StabilityReport rk4 = analyse_stability(Catalogue::all().method("rk4"), {});
  EXPECT_NEAR(rk4.absolute_end, 2 * std::sqrt(2.0), 1e-6);
  EXPECT_LT(rk4.periodicity_end, 0.3);
}

TEST(Interval, DispersionOrders) {
  EXPECT_NEAR(analyse_stability(Catalogue::all().method("verlet"), {}).dispersion.order, 2, 0.1);
  EXPECT_NEAR(analyse_stability(Catalogue::all().method("rk4"), {}).dispersion.order, 4, 0.1);
  EXPECT_NEAR(analyse_stability(Catalogue::all().method("rk4"), {}).damping.order, 5, 0.1);
}

TEST(Interval, MethodsThatOwnTheirStepAreRefused) {
  for (const MethodEntry& entry : Catalogue::all().methods()) {
    if (entry.info.owns_step) {
      EXPECT_THROW(stability_matrix(entry, {}, 1), UsageError);
    }
  }
}
}  // namespace
}  // namespace trill::test
