// SPDX-License-Identifier: BSD-3-Clause
// Finding the period of an oscillation around a slow motion.
#include "multiscale/period.hpp"

#include <cmath>
#include <numbers>

#include <gtest/gtest.h>

namespace trill::test {
namespace {
constexpr double true_period = 0.731;

// An oscillation with two harmonics around a slow polynomial.
MotionAt drifting(double a, double b) {
  return [a, b](double t, Out y, Out rate) {
    const double w = 2 * std::numbers::pi / true_period;
    y << 0.3 + a * t + b * t * t + std::sin(w * t) + 0.3 * std::sin(2 * w * t + 0.4), -a * t + std::cos(w * t);
    rate << a + 2 * b * t + w * std::cos(w * t) + 0.6 * w * std::cos(2 * w * t + 0.4), -a - w * std::sin(w * t);
  };
}

double period_error(double a, double b, int degree, double share) {
  const PeriodFit fit = fit_period(drifting(a, b), Vec::Ones(2), 0.2, share * true_period, degree);
  EXPECT_TRUE(fit.converged) << degree << " " << share;
  EXPECT_LE(fit.iterations, 7);
  return std::abs(fit.period / true_period - 1);
}

// The errors come from an independent program.
TEST(Period, OfDriftingOscillations) {
  for (const double share : {0.8, 0.9, 1.1, 1.2}) {
    EXPECT_NEAR(period_error(0.2, 0.02, 0, share), 1.5e-3, 0.05e-3);
    EXPECT_NEAR(period_error(0.2, 0.02, 1, share), 3.67e-4, 0.02e-4);
    EXPECT_LT(period_error(0.2, 0.02, 2, share), 1e-13);
    EXPECT_NEAR(period_error(0.05, 0, 0, share), 5.7e-5, 0.05e-5);
    EXPECT_LT(period_error(0.05, 0, 1, share), 1e-13);
  }
}

TEST(Period, IsNotFoundWhereThereIsNone) {
  const MotionAt straight = [](double t, Out y, Out rate) {
    y[0] = t;
    rate[0] = 1;
  };
  EXPECT_FALSE(fit_period(straight, Vec::Ones(1), 0, 1, 0).converged);
}
}  // namespace
}  // namespace trill::test
