// SPDX-License-Identifier: BSD-3-Clause
#include "multiscale/averaging_weights.hpp"

#include <cmath>
#include <numbers>

#include <gtest/gtest.h>

namespace trill {
namespace {
constexpr double pi = std::numbers::pi;

double phase(double omega_h) { return 2 * std::asin(omega_h / 2); }

double sum_of(const AveragingWeights& w) {
  double sum = w[0];
  for (Index k = 1; k <= w.reach(); ++k) sum += 2 * w[k];
  return sum;
}

// The response of the published kernel at the fast frequencies of its test cases (with six steps per nominal period),
// and its second moment, from independent programs.
TEST(AveragingWeights, OfThePublishedKernel) {
  const AveragingWeights w = bump_weights(60);
  EXPECT_EQ(2 * w.reach() + 1, 119);
  EXPECT_NEAR(sum_of(w), 1, 1e-14);
  EXPECT_NEAR(w.second_moment(), 237.1, 0.05);
  const double h = 2 * pi / 6;
  EXPECT_NEAR(w.response(phase(std::sqrt(2.0) * h)) / 5.8e-10, 1, 0.01);
  EXPECT_NEAR(w.response(phase(h)) / -1.32e-7, 1, 0.01);
  EXPECT_NEAR(w.response(phase((std::sqrt(5.0) - 1) / 2 * h)) / 9.36e-6, 1, 0.01);
}

// The response T_2M(x0 cos(theta/2)) / T_2M(x0) gives the ripple in closed form, and from its curvature at 0 the
// second moment, with T_n'(x)/T_n(x) = n tanh(n acosh x) / sinh(acosh x).
TEST(AveragingWeights, DolphChebyshevHasItsClosedForm) {
  for (const Index reach : {3, 8, 20})
    for (const double stop : {0.6, 1.5, 2.2}) {
      const AveragingWeights w = dolph_chebyshev_weights(reach, stop);
      const auto n = static_cast<double>(2 * reach);
      const double x0 = 1 / std::cos(stop / 2), ripple = std::max(1 / std::cosh(n * std::acosh(x0)), 1e-15);
      EXPECT_NEAR(sum_of(w), 1, 1e-13);
      EXPECT_NEAR(w.largest_response(stop, pi), ripple, 0.02 * ripple + 1e-15) << reach << " " << stop;
      const double slope = n * std::tanh(n * std::acosh(x0)) / std::sinh(std::acosh(x0));
      EXPECT_NEAR(w.second_moment(), x0 * slope / 4, 1e-9 * x0 * slope) << reach << " " << stop;
    }
}

TEST(AveragingWeights, FlatOnesPassQuadraticMotionAndStopTheBand) {
  for (const double leak : {1e-4, 1e-8, 1e-12})
    for (const double from : {0.3, 1.0, 2.0}) {
      const StopBand band{from, 2.3, leak};
      const AveragingWeights w = stopping_weights(band);
      EXPECT_NEAR(w.second_moment(), 0, 1e-10);
      for (int i = 0; i <= 1000; ++i) EXPECT_LE(std::abs(w.response(from + (2.3 - from) * i / 1000)), 1.05 * leak);
      EXPECT_GT(flattened(dolph_chebyshev_weights(w.reach() - 2 - w.reach() / 25, from)).largest_response(from, 2.3),
                leak)
          << "a shorter one would do";
    }
}

TEST(AveragingWeights, ABandThatBeginsTooLowIsRefused) {
  EXPECT_THROW(stopping_weights({1e-6, 2, 1e-8}), std::invalid_argument);
}
}  // namespace
}  // namespace trill
