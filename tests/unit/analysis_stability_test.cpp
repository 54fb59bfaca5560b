// SPDX-License-Identifier: BSD-3-Clause
#include "trill/analysis/stability.hpp"

#include <cmath>
#include <numbers>

#include <gtest/gtest.h>

namespace trill {
namespace {
using Family = ImplicitFamily;
LinearForm of(Family family, int s) { return runge_kutta_form(extended_tableau(family, s)); }
LinearForm pair(int s) {
  return partitioned_form(extended_tableau(Family::lobatto_iiia, s), extended_tableau(Family::lobatto_iiib, s));
}
// PJY97 sec. 2, the family of P-stable modifications: 4 sin^2(phase/2) = x / (1 + x/12 + 5 alpha x^2 / 6).
LinearForm numerov(double alpha) {
  return two_step_form({2, -10.0 / 12, 10 * alpha / 6}, {1, 1.0 / 12, 5 * alpha / 6});
}

void expect_windows(const std::vector<StabilityWindow>& windows, const std::vector<std::pair<double, double>>& expected,
                    bool ends) {
  ASSERT_EQ(windows.size(), expected.size());
  for (std::size_t i = 0; i < windows.size(); ++i) {
    EXPECT_NEAR(windows[i].from, expected[i].first, 1e-13 * expected[i].first);
    if (std::isinf(expected[i].second))
      EXPECT_EQ(windows[i].to, expected[i].second);
    else
      EXPECT_NEAR(windows[i].to, expected[i].second, 1e-13 * expected[i].second);
    EXPECT_EQ(windows[i].has_from, ends || i == 0);
    EXPECT_EQ(windows[i].has_to, ends && std::isfinite(expected[i].second));
  }
}

TEST(Stability, OfVerletEndsAtTwoInBothDefinitions) {
  const StabilityReport r = analyse_stability(verlet_form());
  expect_windows(r.closed.periodicity, {{0, 2}}, true);
  expect_windows(r.open.periodicity, {{0, 2}}, false);
  ASSERT_EQ(r.touching.size(), 1u);
  EXPECT_FALSE(r.touching[0].identity);
  EXPECT_FALSE(r.p_stable);
  EXPECT_FALSE(r.at_infinity);
  EXPECT_EQ(r.dispersion.order, 2);
  EXPECT_NEAR(r.dispersion.constant, 1.0 / 24, 1e-16);
  EXPECT_EQ(r.damping.order, HUGE_VAL);
}

TEST(Stability, OfThePairsHasWindows) {
  const auto root = [](double x) { return std::sqrt(x); };
  const StabilityReport three = analyse_stability(pair(3));
  expect_windows(three.closed.periodicity, {{0, root(8)}, {root(12), root(24)}}, true);
  expect_windows(three.open.absolute, {{0, root(8)}, {root(12), root(24)}}, false);
  // Two of the ends have no short closed form. They are the roots, other than x = 30, of the entry m21.
  const StabilityReport four = analyse_stability(pair(4));
  expect_windows(four.closed.periodicity,
                 {{0, 3.1127176481642173}, {root(10), root(30)}, {root(60), 8.6203821749854585}}, true);
  double before = 2;
  for (int s = 3; s <= 9; ++s) {
    const double end = analyse_stability(pair(s)).periodicity_end;
    EXPECT_GT(end, before) << s;
    EXPECT_LT(end, std::numbers::pi) << s;
    before = end;
  }
  // With 11 stages the gap at pi is 7e-15 wide and is still seen. With 12 stages it is 8e-17 wide, which is below the
  // resolution of extended precision.
  EXPECT_NEAR(analyse_stability(pair(11)).periodicity_end, std::numbers::pi, 1e-14);
}

TEST(Stability, OfGaussMethodsIsPeriodicEverywhere) {
  double constant = 1;  // (s!)^2 / ((2s)! (2s+1)!)
  for (int s = 1; s <= most_implicit_stages; ++s) {
    constant *= s * s / ((2.0 * s - 1) * (2 * s) * (2 * s) * (2.0 * s + 1));
    const StabilityReport r = analyse_stability(of(Family::gauss, s));
    EXPECT_TRUE(r.p_stable && r.strictly_p_stable && r.i_stable) << s;
    EXPECT_EQ(r.touching.size(), static_cast<std::size_t>(s - 1));
    for (const TouchingPoint& p : r.touching) EXPECT_TRUE(p.identity) << s << " " << p.mu;
    EXPECT_EQ(r.dispersion.order, 2 * s);
    EXPECT_NEAR(r.dispersion.constant / -constant, 1, 1e-7) << s;
    EXPECT_EQ(r.damping.order, HUGE_VAL);
    ASSERT_TRUE(r.at_infinity);
    EXPECT_LT((*r.at_infinity - (s % 2 ? -1 : 1) * Mat2::Identity()).cwiseAbs().maxCoeff(), 1e-10) << s;
  }
}

TEST(Stability, DefinitionsDifferWhereEigenvaluesMeet) {
  const StabilityReport gauss = analyse_stability(of(Family::gauss, 2));
  ASSERT_EQ(gauss.touching.size(), 1u);
  EXPECT_NEAR(gauss.touching[0].mu, std::sqrt(12.0), 1e-14);
  EXPECT_TRUE(gauss.strictly_p_stable);
  const StabilityReport least = analyse_stability(numerov(1.0 / 120));
  EXPECT_TRUE(least.p_stable);
  EXPECT_FALSE(least.strictly_p_stable);
  expect_windows(least.open.periodicity, {{0, std::sqrt(12.0)}, {std::sqrt(12.0), HUGE_VAL}}, false);
  EXPECT_TRUE(analyse_stability(numerov(0.01)).strictly_p_stable);
  EXPECT_FALSE(analyse_stability(numerov(0.0083)).p_stable);
}

// In double precision the roots of m12 and of m21 differ by rounding. This must not be reported as a gap between them.
TEST(Stability, RoundingMakesNoGaps) {
  for (int s = 1; s <= 8; ++s) {
    const ImplicitTableau t = gauss_tableau(s);
    for (const LinearForm& form :
         {nystroem_form({t.c, t.A.transpose() * t.b, t.b, t.A * t.A}), runge_kutta_form(gauss_tableau(s))}) {
      const StabilityReport r = analyse_stability(form, 1);
      EXPECT_TRUE(r.p_stable && r.strictly_p_stable) << s;
      EXPECT_EQ(r.touching.size(), static_cast<std::size_t>(s - 1));
      EXPECT_EQ(r.dispersion.order, 2 * s);
    }
  }
}

// A kick followed by a drift: the diagonal of the matrix is (1 - mu^2, 1), and its trace is that of Verlet.
TEST(Stability, OfAMatrixWithUnequalDiagonal) {
  const StabilityReport r = analyse_stability(drift_form(1) * kick_form({1}));
  expect_windows(r.closed.periodicity, {{0, 2}}, true);
  expect_windows(r.open.periodicity, {{0, 2}}, false);
  EXPECT_EQ(r.dispersion.order, 2);
  EXPECT_NEAR(r.dispersion.constant, 1.0 / 24, 1e-16);
}

TEST(Stability, OfTheNumerovFamily) {
  const StabilityReport plain = analyse_stability(numerov(0)), tuned = analyse_stability(numerov(1.0 / 200));
  EXPECT_NEAR(plain.periodicity_end, std::sqrt(6.0), 1e-14);
  EXPECT_EQ(plain.dispersion.order, 4);
  EXPECT_NEAR(plain.dispersion.constant, 1.0 / 480, 1e-14);
  EXPECT_EQ(tuned.dispersion.order, 6);
  EXPECT_NEAR(tuned.dispersion.constant, 1.0 / 12096, 1e-13);
  EXPECT_NEAR(tuned.periodicity_end, 2.71125235994853, 1e-12);
  EXPECT_NEAR(analyse_stability(numerov(1.0 / 120)).dispersion.constant, -1.0 / 720, 1e-14);
}

// Velocity Verlet with nested forces f(y + h^2/12 f(y + h^2/30 f(...))): with m evaluations the order of dispersion is
// 2m, with the constant (-1)^(m-1)/(2m+2)!.
TEST(Stability, OfNestedForces) {
  const std::vector<double> limits{2, std::sqrt(12.0), 2.75171154319, 4.63478261363, 3.08708309361};
  double constant = 0.5;
  for (int m = 1; m <= 5; ++m) {
    Polynomial force{1};
    for (int k = m - 1; k >= 1; --k) force = Polynomial{1} - Polynomial{0, 1 / ((2 * k + 1) * (2 * k + 2.0L))} * force;
    const LinearForm kick = kick_form(0.5L * force);
    const StabilityReport r = analyse_stability(kick * drift_form(1) * kick);
    constant /= (2 * m + 1) * (2 * m + 2);
    EXPECT_EQ(r.dispersion.order, 2 * m);
    EXPECT_NEAR(r.dispersion.constant / (m % 2 ? constant : -constant), 1, 1e-12) << m;
    EXPECT_NEAR(r.periodicity_end, limits[static_cast<std::size_t>(m - 1)], 2e-11) << m;
  }
}

TEST(Stability, OfDampingMethods) {
  const StabilityReport euler = analyse_stability(of(Family::radau_iia, 1));
  EXPECT_TRUE(euler.i_stable);
  EXPECT_FALSE(euler.p_stable);
  EXPECT_TRUE(euler.closed.periodicity.empty());
  EXPECT_EQ(euler.damping.order, 1);
  EXPECT_NEAR(euler.damping.constant, 0.5, 1e-15);
  EXPECT_NEAR(euler.dispersion.constant, -1.0 / 3, 1e-15);
  for (const StabilityRow& row : euler.rows) {
    EXPECT_NEAR(row.radius, 1 / std::sqrt(1 + row.mu * row.mu), 1e-15);
    EXPECT_NEAR(row.damping, std::log1p(row.mu * row.mu) / (2 * row.mu), 1e-15);
    EXPECT_NEAR(row.phase, std::atan(row.mu), 1e-15);
  }
  for (int s = 1; s <= 8; ++s) {
    const StabilityReport radau = analyse_stability(of(Family::radau_iia, s));
    EXPECT_TRUE(radau.i_stable && radau.touching.empty()) << s;
    EXPECT_EQ(radau.dispersion.order, 2 * s);
    EXPECT_EQ(radau.damping.order, 2 * s - 1);
    EXPECT_LT(radau.radius_at_infinity, 1e-10);
  }
}

// An end of absolute stability with two distinct eigenvalues on the unit circle belongs to the interval in both
// definitions (open and closed).
TEST(Stability, OfClassicalMethods) {
  const StabilityReport rk4 = analyse_stability(Catalogue::all().method("rk4"), {});
  expect_windows(rk4.closed.absolute, {{0, std::sqrt(8.0)}}, true);
  expect_windows(rk4.open.absolute, {{0, std::sqrt(8.0)}}, true);
  EXPECT_EQ(rk4.damping.order, 5);
  EXPECT_NEAR(rk4.damping.constant, 1.0 / 144, 1e-14);
  EXPECT_NEAR(rk4.dispersion.constant, -1.0 / 120, 1e-14);
  NystroemTableau t{Vec(3), Vec(3), Vec(3), Mat::Zero(3, 3)};
  t.c << 0, 0.5, 1;
  t.b << 1.0 / 6, 1.0 / 3, 0;
  t.b_prime << 1.0 / 6, 4.0 / 6, 1.0 / 6;
  t.A(1, 0) = 1.0 / 8;
  t.A(2, 1) = 1.0 / 2;
  const StabilityReport nystroem = analyse_stability(nystroem_form(t));
  EXPECT_EQ(nystroem.dispersion.order, 4);
  EXPECT_NEAR(nystroem.dispersion.constant, -1.0 / 320, 1e-14);
  EXPECT_EQ(nystroem.damping.order, 5);
}

// The phase of the two-stage Gauss method is 2 atan2(mu/2, 1 - mu^2/12); it is followed through several quarters of a
// turn.
TEST(Stability, PhasesAreContinued) {
  for (const StabilityRow& row : analyse_stability(of(Family::gauss, 2), 20).rows)
    EXPECT_NEAR(row.phase, 2 * std::atan2(row.mu / 2, 1 - row.mu * row.mu / 12), 1e-13) << row.mu;
  const StabilityReport gauss = analyse_stability(of(Family::gauss, 8), 12);
  EXPECT_NEAR(gauss.rows.back().phase / 12, 1, 5e-3);
}

// A scheme with gamma on the whole diagonal, of order 2 and with R(infinity) = 0 for every gamma. The expected radii
// come from an independent program.
TEST(Stability, OfThreeStageSdirk) {
  const auto form = [](double g) {
    const double b2 = (0.5 - 2 * g + g * g) / ((1 - g) / 2);
    ImplicitTableau t{Vec(3), Vec(3), Mat::Zero(3, 3)};
    t.c << g, (1 + g) / 2, 1;
    t.b << 1 - g - b2, b2, g;
    t.A << g, 0, 0, (1 - g) / 2, g, 0, 1 - g - b2, b2, g;
    return runge_kutta_form(t);
  };
  const auto radius = [](const LinearForm& f, Extended mu) {
    return static_cast<double>(std::sqrt(1 + step_matrix(f, mu).det_minus_one));
  };
  EXPECT_NEAR(radius(form(0.25), 1), 0.996635904630848, 1e-13);
  EXPECT_NEAR(radius(form(0.25), 100), 0.03999989800829321, 1e-13);
  EXPECT_NEAR(radius(form(0.435866521508459), 10), 0.27906323635172153, 1e-13);
  EXPECT_TRUE(analyse_stability(form(0.1805)).i_stable);
  EXPECT_FALSE(analyse_stability(form(0.1803)).i_stable);
  EXPECT_LT(analyse_stability(form(0.6)).radius_at_infinity, 1e-12);
}
}  // namespace
}  // namespace trill
