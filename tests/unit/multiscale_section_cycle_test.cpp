// SPDX-License-Identifier: BSD-3-Clause
// Cycles from one crossing of a section to the next.
#include "multiscale/cycle_tableau.hpp"
#include "multiscale/section_cycle.hpp"
#include "support/small_problems.hpp"

#include <cmath>
#include <numbers>

#include <gtest/gtest.h>

namespace trill::test {
namespace {
// The oscillator y'' + y = mu (1 - y^2) y'.
FormulaRate van_der_pol(double mu) {
  Vec y(2);
  y << 0.5, 0;
  return {y, [mu](double, In z, Out dz) { dz << z[1], -z[0] + mu * (1 - z[0] * z[0]) * z[1]; }};
}

// Cycles from one maximum of y to the next.
SectionCycle from_max_to_max(const FormulaRate& problem, double rtol) {
  Vec c(2);
  c << -1, 0;
  return {problem, problem.initial_state(), {.direction = c}, 6, {.rtol = rtol, .atol = Vec::Constant(2, rtol)}};
}

// Takes steps of several cycles with an explicit method, with or without projection of the stage values onto the
// section. The result is NaN if a cycle did not come back to the section.
Vec follow_section(const SectionCycle& map, CycleScheme scheme, int cycles, int steps, bool settles) {
  const CycleTableau tableau = cycle_tableau(scheme, 1.0 / cycles);
  Vec z = map.initial_state().y;
  Mat changes = Mat::Zero(z.size(), tableau.c.size());
  for (int k = 0; k < steps; ++k) {
    for (Index i = 0; i < tableau.c.size(); ++i) {
      Vec stage = z + changes.leftCols(i) * (cycles * tableau.a.row(i).head(i).transpose());
      if (settles && !map.settle(0, stage)) return Vec::Constant(z.size(), std::nan(""));
      if (!map.change(0, stage, changes.col(i))) return Vec::Constant(z.size(), std::nan(""));
    }
    z += changes * (cycles * tableau.b);
    if (settles && !map.settle(0, z)) return Vec::Constant(z.size(), std::nan(""));
  }
  return z;
}

// Amplitude and time after 1024 cycles. They and the errors of RK4 come from an independent program.
constexpr double amplitude_1024 = 1.97633605592676, time_1024 = 6433.98112888124;

double error_after_1024(const Vec& z) { return std::hypot(z[0] - amplitude_1024, z[2] - time_1024); }

TEST(SectionCycle, FollowsVanDerPolAsAnIndependentProgramDoes) {
  const FormulaRate problem = van_der_pol(0.001);
  const SectionCycle map = from_max_to_max(problem, 1e-13);
  const std::vector<std::pair<int, double>> errors{{256, 0.009787}, {128, 0.0002725}, {64, 1.133e-05}, {32, 5.114e-07}};
  for (const auto& [cycles, expected] : errors) {
    const double error = error_after_1024(follow_section(map, CycleScheme::rk4, cycles, 1024 / cycles, true));
    EXPECT_NEAR(error, expected, 0.05 * expected) << cycles;
  }
  EXPECT_LT(error_after_1024(follow_section(map, CycleScheme::rk4, 16, 64, true)), 3e-8);
}

TEST(SectionCycle, NeedsStageValuesOnTheSection) {
  const FormulaRate problem = van_der_pol(0.02);
  const SectionCycle map = from_max_to_max(problem, 1e-10);
  const Vec single = follow_section(map, CycleScheme::rk4, 4, 48, true);
  const double settled = (follow_section(map, CycleScheme::rk4, 16, 12, true) - single).norm();
  const double unsettled = (follow_section(map, CycleScheme::rk4, 16, 12, false) - single).norm();
  EXPECT_LT(settled, 1e-2);
  EXPECT_FALSE(unsettled < 100 * settled);
}

TEST(SectionCycle, SettlesAlongTheFlowAndCarriesTheTime) {
  const FormulaRate problem = van_der_pol(0);
  const SectionCycle map = from_max_to_max(problem, 1e-11);
  Vec z(3);
  z << 0.5 * std::cos(0.3), -0.5 * std::sin(0.3), 7.3;  // 0.3 after a maximum at t = 7
  ASSERT_TRUE(map.settle(0, z));
  EXPECT_NEAR(z[0], 0.5, 1e-9);
  EXPECT_NEAR(z[1], 0, 1e-11);
  EXPECT_NEAR(z[2], 7, 1e-9);
  z << 0.5 * std::cos(0.8), -0.5 * std::sin(0.8), 7.8;  // further away than a tenth of a cycle
  EXPECT_FALSE(map.settle(0, z));
}

TEST(SectionCycle, KnowsTimes) {
  const FormulaRate problem = van_der_pol(0);
  const SectionCycle map = from_max_to_max(problem, 1e-11);
  EXPECT_NEAR(map.period(), 2 * std::numbers::pi, 1e-9);
  Vec z(3), end(3);
  z << 0.5, 0, 10;
  EXPECT_EQ(map.time(3, z), 10);
  EXPECT_EQ(map.cycles_until(10.5, 3, z), 0);
  EXPECT_EQ(map.cycles_until(17, 3, z), 1);
  EXPECT_LE(map.cycles_until(10 + 628, 3, z), 99);
  EXPECT_GE(map.cycles_until(10 + 628, 3, z), 95);
  ASSERT_TRUE(map.part(3, z, 11, end));
  EXPECT_NEAR(end[0], 0.5 * std::cos(1), 1e-9);
  Vec sizes(3);
  map.sizes(z, Vec::Constant(3, 1e6), sizes);
  EXPECT_EQ(sizes[0], 1e6);
  EXPECT_NEAR(sizes[2], 1, 1e-9);
}

TEST(SectionCycle, StartsWhereTheMotionFirstCrossesTheSection) {
  FormulaRate problem = van_der_pol(0);
  Vec c(2);
  c << 1, 0;
  // y = 0.5 cos t passes 0.1 upwards.
  const SectionCycle map(problem, problem.initial_state(), {.direction = c, .of_rate = false, .offset = 0.1}, 6,
                         {.rtol = 1e-11, .atol = Vec::Constant(2, 1e-11)});
  EXPECT_NEAR(map.initial_state().t, 2 * std::numbers::pi - std::acos(0.2), 1e-9);
  c << 0, 0;
  c[0] = 1;
  EXPECT_NE(refusal([&] {
              SectionCycle(problem, problem.initial_state(), {.direction = c, .of_rate = false, .offset = 2}, 6,
                           {.rtol = 1e-8, .atol = Vec::Constant(2, 1e-8)});
            }).find("does not return"),
            std::string::npos);
}

TEST(RisingZero, IsReturnedFromTheSideWhereTheFunctionIsNotNegative) {
  int calls = 0;
  const auto f = [&](double x) {
    ++calls;
    return std::sin(x);
  };
  const double zero = rising_zero(f, -1, std::sin(-1.0), 1.5, std::sin(1.5), 1e-10);
  EXPECT_GE(std::sin(zero), 0);
  EXPECT_LT(zero, 1e-9);
  EXPECT_LT(calls, 25);
}
}  // namespace
}  // namespace trill::test
