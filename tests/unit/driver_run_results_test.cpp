// SPDX-License-Identifier: BSD-3-Clause
// Numbers that a netlist asks for after a run (maxima, means, ...), computed from rows that are far apart.
#include "driver/run_results.hpp"

#include <cmath>
#include <numbers>

#include <gtest/gtest.h>

namespace trill::test {
namespace {
using What = RunResultWish::What;
constexpr double turn = 2 * std::numbers::pi;

Solution rows_of(const std::vector<std::pair<double, double>>& points) {
  Solution s;
  s.info.layout = {.nq = 1};
  s.info.components = {{"v(a)", "V"}};
  for (const auto& [t, value] : points) s.append(t, Vec::Constant(1, value), Vec());
  return s;
}

double result(const Solution& s, What what, double from, double to) {
  const RunResultWish wish{"m", "V", what, {{0, 1.0}}, from, to};
  return find_results({wish}, s.info, s).at(0).value.value();
}

// 24 rows per period, as with long steps. With straight lines the rms would be wrong by 1 % and the maximum by 0.9 %.
TEST(RunResults, OfASineAreThoseOfTheCurveBetweenTheRows) {
  std::vector<std::pair<double, double>> points;
  for (int k = 0; k <= 60; ++k) points.emplace_back((k + 0.5) / 24, std::sin(turn * (k + 0.5) / 24));
  const Solution s = rows_of(points);
  const double from = 0.13, to = 1.71;
  const auto integral = [](double t) { return -std::cos(turn * t) / turn; };
  const auto of_square = [](double t) { return t / 2 - std::sin(2 * turn * t) / (4 * turn); };
  EXPECT_NEAR(result(s, What::integral, from, to), integral(to) - integral(from), 1e-4);
  EXPECT_NEAR(result(s, What::average, from, to), (integral(to) - integral(from)) / (to - from), 1e-4);
  EXPECT_NEAR(result(s, What::rms, from, to), std::sqrt((of_square(to) - of_square(from)) / (to - from)), 2e-4);
  EXPECT_NEAR(result(s, What::max, from, to), 1, 2e-4);
  EXPECT_NEAR(result(s, What::min, from, to), -1, 2e-4);
  EXPECT_NEAR(result(s, What::peak_to_peak, from, to), 2, 4e-4);
  EXPECT_NEAR(result(s, What::max, 0.1, 0.2), std::sin(turn * 0.2), 1e-3);  // the sine still rises at 0.2
}

// The curve through the rows must not be smooth across a corner or a jump. At a jump both sides are recorded.
TEST(RunResults, OfCornersAndJumpsHaveNoOvershoot) {
  const Solution ramp = rows_of({{0, 0}, {1, 0}, {2, 0}, {3, 1}, {4, 2}, {5, 2}, {6, 2}});
  EXPECT_EQ(result(ramp, What::max, 0, 6), 2);
  EXPECT_EQ(result(ramp, What::min, 0, 6), 0);
  EXPECT_NEAR(result(ramp, What::integral, 0, 6), 6, 1e-14);
  const Solution jump = rows_of({{0, 0}, {1, 0}, {2, 0}, {2, 3}, {3, 2}, {4, 1}, {5, 0}});
  EXPECT_EQ(result(jump, What::max, 0, 5), 3);
  EXPECT_EQ(result(jump, What::min, 0, 5), 0);
  EXPECT_NEAR(result(jump, What::integral, 0, 5), 4.5, 1e-14);
  EXPECT_NEAR(result(jump, What::integral, 1.5, 2.5), 1.375, 1e-14);
  EXPECT_EQ(result(rows_of({{1, 7}}), What::average, 0, 1), 7);
}

TEST(RunResults, OfWhatWasNotComputedAreNotKnown) {
  const auto known = [](const Solution& s, What what, double from, double to) {
    const RunResultWish wish{"m", "V", what, {{0, 1.0}}, from, to};
    return find_results({wish}, s.info, s).at(0).value.has_value();
  };
  const Solution ramp = rows_of({{0, 5}, {1, 6}, {2, 7}});
  EXPECT_TRUE(known(ramp, What::average, 1, 2));
  EXPECT_FALSE(known(ramp, What::average, 1, 3)) << "the run ended before";
  EXPECT_EQ(result(ramp, What::average, -1, 0), 5) << "the first row alone, not the last of the run";
  EXPECT_FALSE(known(rows_of({{2, 7}, {1, 6}, {0, 5}}), What::max, 0, 2)) << "backwards";
}
}  // namespace
}  // namespace trill::test
