// SPDX-License-Identifier: BSD-3-Clause
#include "linalg/damped_newton.hpp"

#include <cmath>

#include <gtest/gtest.h>

namespace trill {
namespace {
// atan(x - 1) = 0: the undamped Newton iteration diverges from guesses farther than 1.39 from the solution.
class Arctangent : public MatrixSystem {
 public:
  Arctangent() : MatrixSystem(MatrixSlot::dense(1, 1)) {}
  void residual(In x, Out r) override { r[0] = std::abs(x[0]) > undefined_beyond ? NAN : std::atan(x[0] - 1); }
  void jacobian(In x, MatrixSlot& j) override { j.add(0, 0, 1 / (1 + (x[0] - 1) * (x[0] - 1))); }
  double undefined_beyond = HUGE_VAL;
};

constexpr int halvings = 8;

TEST(DampedNewton, GetsThereFromWherePlainIterationsRunAway) {
  Arctangent system;
  const Vec weights = Vec::Ones(1);
  const NewtonOptions options{.tolerance = 1e-10, .max_iterations = 20};
  Vec x = Vec::Constant(1, 12);
  EXPECT_FALSE(Newton(1, options).solve(system, x, weights).converged);
  EXPECT_EQ(x[0], 12);
  const NewtonStats damped = solve_damped(system, x, weights, options, halvings);
  EXPECT_TRUE(damped.converged);
  EXPECT_NEAR(x[0], 1, 1e-12);
}

TEST(DampedNewton, GoesAroundPlacesWithoutValues) {
  Arctangent system;
  system.undefined_beyond = 15;
  Vec x = Vec::Constant(1, -12);
  EXPECT_TRUE(solve_damped(system, x, Vec::Ones(1), {.tolerance = 1e-10, .max_iterations = 20}, halvings).converged);
  EXPECT_NEAR(x[0], 1, 1e-12);
}

TEST(DampedNewton, LeavesTheGuessWhereItFails) {
  Arctangent system;
  Vec x = Vec::Constant(1, 1e6);
  EXPECT_FALSE(solve_damped(system, x, Vec::Ones(1), {.tolerance = 1e-10, .max_iterations = 20}, 1).converged);
  EXPECT_EQ(x[0], 1e6);
}
}  // namespace
}  // namespace trill
