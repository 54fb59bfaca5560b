// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/cost_of_error.hpp"

#include <cmath>

#include <gtest/gtest.h>

namespace {
using trill::CostCurve;

// A method of order p needs seconds ~ error^(-1/p).
CostCurve order(const std::string& name, double p, double at_one, int from, int to) {
  CostCurve curve{name, {}};
  for (int power = from; power >= to; power -= 2)
    curve.points.push_back({std::pow(10, power), at_one * std::pow(10, -power / p)});
  return curve;
}

TEST(CostOfError, IsInterpolatedOnALineOfLogarithms) {
  EXPECT_NEAR(*trill::seconds_for(order("rk4", 4, 1e-3, -1, -7), 1e-4), 1e-2, 1e-9);
}

TEST(CostOfError, IsNotExtrapolated) {
  EXPECT_FALSE(trill::seconds_for(order("verlet", 2, 1e-3, -1, -3), 1e-5));
  EXPECT_NEAR(*trill::seconds_for(order("verlet", 2, 1e-3, -3, -5), 1), 1e-3 * std::pow(10, 1.5), 1e-9);
}

TEST(CostOfError, FailedRunsDoNotCount) {
  const CostCurve broken{"rk4", {{NAN, 1e-6}, {HUGE_VAL, 1e-6}, {1e-3, 2e-3}}};
  EXPECT_DOUBLE_EQ(*trill::seconds_for(broken, 1e-2), 2e-3);
  EXPECT_EQ(trill::cheapest_sentence({{"rk4", {{NAN, 1e-6}}}}), "");
}

TEST(CostOfError, TheSentenceNamesTheCheapestAndTheNext) {
  EXPECT_EQ(trill::cheapest_sentence({order("rk4", 4, 2e-4, 0, -4), order("dop853", 8, 5e-5, 0, -4)}),
            "To an error of 1e-04 dop853 needs 0.16 ms, the next 2 ms (rk4).");
  EXPECT_EQ(trill::cheapest_sentence(
                {order("verlet", 2, 1e-3, 0, -4), order("dop853", 8, 1e-3, -4, -8), {"euler", {{NAN, 1}}}}),
            "To an error of 1e-04 dop853 needs 3.2 ms, the next 100 ms (verlet); not reached by euler.");
}
}  // namespace
