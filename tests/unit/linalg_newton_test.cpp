// SPDX-License-Identifier: BSD-3-Clause
#include "support/allocation_count.hpp"
#include "trill/linalg/newton.hpp"

#include <cmath>
#include <functional>
#include <limits>
#include <stdexcept>
#include <vector>

#include <gtest/gtest.h>

namespace trill {
namespace {
// The system x0^2 + x1^2 = 4, x0 x1 = 1. It counts its evaluations.
class CircleAndHyperbola : public MatrixSystem {
 public:
  CircleAndHyperbola() : MatrixSystem(MatrixSlot::dense(2, 2)) {}
  void residual(In x, Out r) override {
    ++residuals;
    r[0] = x[0] * x[0] + x[1] * x[1] - 4.0;
    r[1] = x[0] * x[1] - 1.0;
  }
  void jacobian(In x, MatrixSlot& j) override {
    ++jacobians;
    j.add(0, 0, 2.0 * x[0]);
    j.add(0, 1, 2.0 * x[1]);
    j.add(1, 0, x[1]);
    j.add(1, 1, x[0]);
  }
  int residuals = 0, jacobians = 0;
};

Vec root() {
  return (Vec(2) << (std::sqrt(6.0) + std::sqrt(2.0)) / 2, (std::sqrt(6.0) - std::sqrt(2.0)) / 2).finished();
}

// One equation f(x) = 0 whose "Jacobian" is chosen by the test, so that any rate of contraction is possible.
class Scalar : public NonlinearSystem {
 public:
  Scalar(std::function<double(double)> f, std::function<double(double)> slope) : f_(f), slope_(slope) {}
  Index size() const override { return 1; }
  void residual(In x, Out r) override {
    visited.push_back(x[0]);
    r[0] = f_(x[0]);
  }
  bool prepare(In x) override {
    prepared_at.push_back(x[0]);
    current = slope_(x[0]);
    return current != 0.0;
  }
  void correct(In r, Out dx) override { dx[0] = r[0] / current; }
  bool limit(In, Out step) override {
    if (std::abs(step[0]) > cap) step[0] = std::copysign(cap, step[0]);
    return true;
  }
  std::vector<double> visited, prepared_at;
  double current = 0, cap = std::numeric_limits<double>::infinity();

 private:
  std::function<double(double)> f_, slope_;
};

const Vec one = Vec::Ones(1);
double identity(double x) { return x; }
}  // namespace

TEST(Newton, FindsTheRoot) {
  CircleAndHyperbola system;
  Newton newton(2, {.tolerance = 1e-13});
  Vec x = (Vec(2) << 2.0, 0.3).finished();
  const NewtonStats stats = newton.solve(system, x, Vec::Ones(2));
  EXPECT_TRUE(stats.converged);
  EXPECT_LT((x - root()).norm(), 1e-14);
  EXPECT_EQ(stats.iterations, system.residuals);
  EXPECT_EQ(stats.factorisations, system.jacobians);
  EXPECT_EQ(stats.factorisations, stats.iterations);
  EXPECT_LE(stats.iterations, 7);
}

TEST(Newton, ConvergesQuadratically) {
  Scalar system([](double x) { return std::exp(x) - 2.0; }, [](double x) { return std::exp(x); });
  Vec x = Vec::Constant(1, 1.0);
  ASSERT_TRUE(Newton(1, {.tolerance = 1e-14}).solve(system, x, one).converged);
  const double root = std::log(2.0);
  int pairs = 0;
  for (std::size_t k = 1; k < system.visited.size(); ++k) {
    const double before = std::abs(system.visited[k - 1] - root), after = std::abs(system.visited[k] - root);
    if (before > 0.3 || after < 1e-13) continue;
    EXPECT_NEAR(after / (before * before), 0.5, 0.1);  // e_{k+1} = f''/(2 f') e_k^2 = e_k^2 / 2
    ++pairs;
  }
  EXPECT_GE(pairs, 2);
}

TEST(Newton, LinearProblemTakesTwoIterations) {
  Scalar system([](double x) { return 3.0 * x - 6.0; }, [](double) { return 3.0; });
  Vec x = Vec::Constant(1, -50.0);
  const NewtonStats stats = Newton(1).solve(system, x, one);
  EXPECT_TRUE(stats.converged);
  EXPECT_EQ(stats.iterations, 2);
  EXPECT_NEAR(x[0], 2.0, 1e-15);
}

TEST(Newton, AGuessWithinATenthOfTheToleranceTakesOneIteration) {
  Scalar system(identity, [](double) { return 1.0; });
  Vec x = Vec::Constant(1, 0.9e-4);
  EXPECT_EQ(Newton(1, {.tolerance = 1e-3}).solve(system, x, one).iterations, 1);
  x[0] = 1.1e-4;
  EXPECT_EQ(Newton(1, {.tolerance = 1e-3}).solve(system, x, one).iterations, 2);
}

TEST(Newton, ErrorEstimateUsesTheContraction) {
  // With the slope 2 instead of 1 every correction is half of the one before, and the error after dx_k equals |dx_k|.
  // So correction and error reach the tolerance together.
  Scalar slow(identity, [](double) { return 2.0; });
  Vec x = Vec::Constant(1, 1.0);
  const NewtonStats stats = Newton(1, {.tolerance = 1e-4, .max_iterations = 50}).solve(slow, x, one);
  EXPECT_TRUE(stats.converged);
  EXPECT_NEAR(stats.rate, 0.5, 1e-12);
  EXPECT_LE(std::abs(x[0]), 1e-4);
  EXPECT_GT(std::abs(x[0]), 0.4e-4) << "it went on for longer than the estimate asks";
  // With the slope 10 the rate is 0.9 and the error 9 |dx|. An iteration that ends at |dx| <= tolerance would leave
  // nine times the tolerance.
  Scalar slower(identity, [](double) { return 10.0; });
  x[0] = 1.0;
  EXPECT_TRUE(Newton(1, {.tolerance = 1e-4, .max_iterations = 200, .max_rate = 0.95}).solve(slower, x, one).converged);
  EXPECT_LE(std::abs(x[0]), 1.0001e-4);
}

// For exp(x) = 2 from 1 the third correction is 9e-4 and the fourth 4e-7, which leaves an error of 8e-14. From the
// rate of contraction alone one would estimate 2e-10.
TEST(Newton, ExactJacobiansSaveTheIterationThatOnlyConfirms) {
  for (const bool exact : {false, true}) {
    Scalar system([](double x) { return std::exp(x) - 2.0; }, [](double x) { return std::exp(x); });
    Vec x = one;
    const NewtonStats stats = Newton(1, {.tolerance = 1e-10, .exact_jacobian = exact}).solve(system, x, one);
    EXPECT_TRUE(stats.converged);
    EXPECT_EQ(stats.iterations, exact ? 4 : 5);
    EXPECT_LT(std::abs(x[0] - std::log(2.0)), 1e-12);
  }
  // If the matrix is kept, convergence is only linear and the rate of contraction has to be used again.
  Scalar kept([](double x) { return std::exp(x) - 2.0; }, [](double x) { return std::exp(x); });
  Vec x = one;
  EXPECT_TRUE(Newton(1, {.tolerance = 1e-10, .max_iterations = 50, .jacobian_every = 0, .exact_jacobian = true})
                  .solve(kept, x, one)
                  .converged);
  EXPECT_LT(std::abs(x[0] - std::log(2.0)), 1e-10);
}

// Every correction is a fiftieth of the distance to the solution. So the first correction below the tolerance still
// leaves an error 49 times as large.
TEST(Newton, SmallCorrectionsThatHardlyContractAreNotTheEnd) {
  Scalar line([](double x) { return x; }, [](double) { return 50.0; });
  Vec x(1), weights = Vec::Ones(1);
  x << 1;
  Newton newton(1,
                {.tolerance = 0.0198, .max_iterations = 500, .max_rate = 0.99, .jacobian_every = 0, .predict = false});
  EXPECT_TRUE(newton.solve(line, x, weights).converged);
  EXPECT_LE(x[0], 0.0198);
}

TEST(Newton, WeightsSetTheNorm) {
  Scalar system([](double x) { return 0.4 * x; }, [](double) { return 1.0; });
  Vec loose = Vec::Constant(1, 1.0), strict = loose;
  const int few = Newton(1, {.tolerance = 1e-3, .max_iterations = 99}).solve(system, loose, one).iterations;
  const int more =
      Newton(1, {.tolerance = 1e-3, .max_iterations = 99}).solve(system, strict, Vec::Constant(1, 1e3)).iterations;
  EXPECT_GT(more, few);
  EXPECT_LE(std::abs(loose[0]), 1e-3);
  EXPECT_LE(std::abs(strict[0]), 1e-6);
}

TEST(Newton, PreparesAsOftenAsAsked) {
  for (const auto& [every, expected] : std::vector<std::pair<int, int>>{{0, 1}, {1, 8}, {3, 3}}) {
    Scalar system(identity, [](double) { return 1.25; });  // rate 0.2
    Vec x = Vec::Constant(1, 1.0);
    const NewtonStats stats =
        Newton(1, {.tolerance = 1e-5, .max_iterations = 30, .jacobian_every = every}).solve(system, x, one);
    EXPECT_TRUE(stats.converged);
    EXPECT_EQ(stats.iterations, 8);
    EXPECT_EQ(stats.factorisations, expected) << every;
    EXPECT_EQ(static_cast<int>(system.prepared_at.size()), expected);
  }
}

TEST(Newton, DivergenceIsToldEarlyAndXRestored) {
  Scalar system(identity, [](double) { return 0.4; });  // every error is -1.5 times the one before
  Vec x = Vec::Constant(1, 0.7);
  const NewtonStats stats = Newton(1, {.max_iterations = 100}).solve(system, x, one);
  EXPECT_FALSE(stats.converged);
  EXPECT_FALSE(stats.singular);
  EXPECT_FALSE(stats.non_finite);
  EXPECT_EQ(stats.iterations, 3) << "two bad rates are enough";
  EXPECT_NEAR(stats.rate, 1.5, 1e-12);
  EXPECT_EQ(x[0], 0.7);
}

TEST(Newton, OneBadRateIsForgiven) {
  Scalar bump([](double x) { return x; }, [n = 0](double) mutable { return n++ == 1 ? 0.3 : 1.25; });
  Vec x = Vec::Constant(1, 1.0);
  const NewtonStats stats = Newton(1, {.max_iterations = 40}).solve(bump, x, one);
  EXPECT_TRUE(stats.converged);
  EXPECT_NEAR(x[0], 0.0, 1e-9);
}

TEST(Newton, TooFewIterationsRestoreX) {
  CircleAndHyperbola system;
  const Vec guess = (Vec(2) << 2.0, 0.3).finished();
  Vec x = guess;
  const NewtonStats stats = Newton(2, {.max_iterations = 2}).solve(system, x, Vec::Ones(2));
  EXPECT_FALSE(stats.converged);
  EXPECT_EQ(stats.iterations, 2);
  EXPECT_EQ(x, guess);
}

TEST(Newton, SingularIsReportedAndXRestored) {
  CircleAndHyperbola system;
  Vec x = Vec::Zero(2);
  const NewtonStats at_once = Newton(2).solve(system, x, Vec::Ones(2));
  EXPECT_TRUE(at_once.singular);
  EXPECT_FALSE(at_once.converged);
  EXPECT_EQ(x, Vec::Zero(2));
  // For x^2 + 1 from 1 the first iteration lands on 0, where the slope vanishes.
  Scalar later([](double x) { return x * x + 1.0; }, [](double x) { return 2.0 * x; });
  Vec y = Vec::Constant(1, 1.0);
  const NewtonStats stats = Newton(1).solve(later, y, one);
  EXPECT_TRUE(stats.singular);
  EXPECT_EQ(stats.iterations, 2);
  EXPECT_EQ(y[0], 1.0);
}

TEST(Newton, NonFiniteIsReportedAndXRestored) {
  Scalar system([](double x) { return std::log(x); }, [](double x) { return 1.0 / x; });
  Vec x = Vec::Constant(1, 5.0);  // the first step goes to 5 - 5 log 5 < 0
  const NewtonStats stats = Newton(1).solve(system, x, one);
  EXPECT_TRUE(stats.non_finite);
  EXPECT_FALSE(stats.converged);
  EXPECT_EQ(x[0], 5.0);
  Scalar bad_solve(identity, [](double) { return std::numeric_limits<double>::quiet_NaN(); });
  EXPECT_TRUE(Newton(1).solve(bad_solve, x, one).non_finite);
  EXPECT_EQ(x[0], 5.0);
}

TEST(Newton, LimitedStepsAreTakenButDoNotCount) {
  Scalar system([](double x) { return std::exp(x) - 1.0; }, [](double x) { return std::exp(x); });
  system.cap = 0.5;
  Vec x = Vec::Constant(1, -4.0);  // an unlimited step would go to +50
  const NewtonStats stats = Newton(1, {.max_iterations = 30}).solve(system, x, one);
  EXPECT_TRUE(stats.converged);
  EXPECT_NEAR(x[0], 0.0, 1e-10);
  for (std::size_t k = 1; k < system.visited.size(); ++k)
    EXPECT_LE(std::abs(system.visited[k] - system.visited[k - 1]), 0.5 + 1e-12);
  Scalar tiny_cap(identity, [](double) { return 1.0; });
  tiny_cap.cap = 1e-12;  // every correction is below the tolerance, but none reaches a solution
  x[0] = 1.0;
  EXPECT_FALSE(Newton(1).solve(tiny_cap, x, one).converged);
  EXPECT_EQ(x[0], 1.0);
}

TEST(Newton, ReuseSkipsThePreparationWhileItServes) {
  Scalar system(identity, [](double) { return 1.0; });
  system.current = 1.1;  // the slope of an earlier point, which gives the rate 0.09
  Vec x = Vec::Constant(1, 1.0);
  const NewtonStats stats = Newton(1).solve(system, x, one, true);
  EXPECT_TRUE(stats.converged);
  EXPECT_EQ(stats.factorisations, 0);
  EXPECT_TRUE(system.prepared_at.empty());
}

TEST(Newton, ReusePreparesOnceFromTheGuessWhenTooSlow) {
  Scalar system(identity, [](double) { return 1.0; });
  system.current = 2.0;  // gives the rate 0.5
  Vec x = Vec::Constant(1, 1.0);
  const NewtonStats stats = Newton(1, {.jacobian_every = 0}).solve(system, x, one, true);
  EXPECT_TRUE(stats.converged);
  EXPECT_EQ(stats.factorisations, 1);
  ASSERT_EQ(system.prepared_at.size(), 1u);
  EXPECT_EQ(system.prepared_at[0], 1.0) << "it must start again from the initial guess";
  EXPECT_EQ(system.visited.size(), 4u) << "two iterations show the rate, two more solve";
  EXPECT_EQ(stats.iterations, 4);
  EXPECT_EQ(x[0], 0.0);
}

TEST(Newton, ReuseOfAUselessPreparationStillConverges) {
  for (const double useless : {-1.0, 1e-300, std::numeric_limits<double>::quiet_NaN()}) {
    Scalar system(identity, [](double) { return 1.0; });
    system.current = useless;
    Vec x = Vec::Constant(1, 1.0);
    const NewtonStats stats = Newton(1).solve(system, x, one, true);
    EXPECT_TRUE(stats.converged) << useless;
    EXPECT_FALSE(stats.non_finite);
    EXPECT_EQ(x[0], 0.0);
  }
}

TEST(Newton, ToleranceBelowRoundingIsReached) {
  CircleAndHyperbola system;
  Vec x = (Vec(2) << 2.0, 0.3).finished();
  EXPECT_TRUE(Newton(2, {.tolerance = 1e-30, .max_iterations = 20}).solve(system, x, Vec::Ones(2)).converged);
  EXPECT_LT((x - root()).norm(), 1e-14);
}

TEST(Newton, RefusesMisuse) {
  CircleAndHyperbola system;
  Vec x = Vec::Ones(2);
  EXPECT_THROW(Newton(3).solve(system, x, Vec::Ones(2)), std::invalid_argument);
  EXPECT_THROW(Newton(2).solve(system, x, Vec::Ones(1)), std::invalid_argument);
  EXPECT_THROW(Newton(2, {.tolerance = 0.0}), std::invalid_argument);
  EXPECT_THROW(Newton(2, {.max_iterations = 0}), std::invalid_argument);
  EXPECT_THROW(Newton(2, {.jacobian_every = -1}), std::invalid_argument);
}

TEST(Newton, CopiedMatrixSystemCarriesItsPreparation) {
  CircleAndHyperbola system;
  Vec x = (Vec(2) << 2.0, 0.3).finished();
  system.prepare(x);
  CircleAndHyperbola copy = system;
  system.prepare(Vec::LinSpaced(2, 5, 6));
  Vec expected(2), got(2);
  const Vec r = Vec::LinSpaced(2, 1, 2);
  CircleAndHyperbola fresh;
  fresh.prepare(x);
  fresh.correct(r, expected);
  copy.correct(r, got);
  EXPECT_EQ(got, expected);
  copy = system;
  system.correct(r, expected);
  copy.correct(r, got);
  EXPECT_EQ(got, expected);
}

TEST(Newton, DoesNotAllocateInSolve) {
  CircleAndHyperbola system;
  Newton newton(2);
  const Vec weights = Vec::Ones(2);
  Vec x(2);
  const AllocationGuard guard;
  for (int i = 0; i < 10; ++i) {
    x[0] = 2.0 + 0.01 * i;
    x[1] = 0.3;
    ASSERT_TRUE(newton.solve(system, x, weights, i % 2 == 1).converged);
  }
  EXPECT_EQ(guard.count(), 0u);
}

// Near rounding the iteration may jump between two neighbouring values of x, with large and small corrections in turn.
class ToAndFro : public NonlinearSystem {
 public:
  Index size() const override { return 1; }
  void residual(In, Out r) override { r[0] = 1; }
  bool prepare(In) override { return true; }
  void correct(In, Out dx) override { dx[0] = 1e-5 * (++corrections % 2 == 0 ? -0.42 : 1); }
  int corrections = 0;
};

TEST(Newton, EndsWhereRoundingAlternates) {
  for (const int stalls : {1, 2, 3}) {
    ToAndFro system;
    Newton newton(1, {.tolerance = 1e-9, .rounding = 1e-4, .stalls = stalls});
    Vec x = Vec::Ones(1);
    EXPECT_TRUE(newton.solve(system, x, Vec::Ones(1)).converged) << stalls;
    EXPECT_LE(system.corrections, 2 * stalls + 1) << stalls;
    newton.set_options({.tolerance = 1e-9, .rounding = 1e-6, .stalls = stalls});
    EXPECT_FALSE(newton.solve(system, x, Vec::Ones(1)).converged) << stalls;
  }
}
}  // namespace trill
