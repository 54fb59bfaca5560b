// SPDX-License-Identifier: BSD-3-Clause
#include "linalg/krylov.hpp"
#include "support/allocation_count.hpp"

#include <limits>
#include <random>
#include <stdexcept>

#include <gtest/gtest.h>

namespace trill {
namespace {
class MatrixOperator : public LinearOperator {
 public:
  explicit MatrixOperator(Mat a) : a_(std::move(a)) {}
  Index size() const override { return a_.rows(); }
  void apply(In x, Out y) override {
    ++products;
    y.noalias() = a_ * x;
    if (products == poison_at) y[0] = std::numeric_limits<double>::quiet_NaN();
  }
  int products = 0, poison_at = -1;

 private:
  Mat a_;
};

Mat random_matrix(Index n, unsigned seed) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> number(-1, 1);
  return Mat::NullaryExpr(n, n, [&] { return number(random); });
}

Mat convection_diffusion(Index n, double wind) {
  Mat a = Mat::Zero(n, n);
  for (Index i = 0; i < n; ++i) {
    a(i, i) = 2.0;
    if (i > 0) a(i, i - 1) = -1.0 - wind;
    if (i + 1 < n) a(i, i + 1) = -1.0 + wind;
  }
  return a;
}
}  // namespace

TEST(Gmres, SolvesANonsymmetricSystemInAtMostNSteps) {
  const Index n = 40;
  const Mat a = random_matrix(n, 1) + 3.0 * Mat::Identity(n, n);
  MatrixOperator op(a);
  const Vec b = Vec::LinSpaced(n, -1, 2);
  Vec x = Vec::Zero(n);
  const GmresResult result = Gmres(n, 40).solve(op, b, x, {.relative_tolerance = 1e-12});
  EXPECT_TRUE(result.converged);
  EXPECT_LE(result.iterations, 41);
  EXPECT_LE((b - a * x).norm(), 1e-12 * b.norm());
  EXPECT_NEAR(result.residual, (b - a * x).norm(), 1e-13 * b.norm()) << "the reported residual must be the true one";
}

TEST(Gmres, RestartsUntilConverged) {
  const Index n = 60;
  const Mat a = convection_diffusion(n, 0.3) + Mat::Identity(n, n);
  MatrixOperator op(a);
  const Vec b = Vec::Ones(n);
  Vec x = Vec::Constant(n, 5.0);  // a poor guess
  const GmresResult result = Gmres(n, 7).solve(op, b, x, {.relative_tolerance = 1e-11});
  EXPECT_TRUE(result.converged);
  EXPECT_GT(result.iterations, 7);
  EXPECT_LE((b - a * x).norm(), 1e-11 * b.norm());
}

TEST(Gmres, PreconditionerCutsTheIterationsOfAnIllConditionedSystem) {
  const Index n = 50;
  Vec scale(n);
  for (Index i = 0; i < n; ++i) scale[i] = std::pow(10.0, 8.0 * static_cast<double>(i) / (n - 1));
  const Mat a = Mat(scale.asDiagonal()) + 0.1 * random_matrix(n, 2);
  MatrixOperator op(a), inverse(Mat(scale.cwiseInverse().asDiagonal()));
  const Vec b = Vec::Ones(n);
  Vec x = Vec::Zero(n);
  const GmresResult with = Gmres(n, 30).solve(op, b, x, {.relative_tolerance = 1e-10}, &inverse);
  EXPECT_TRUE(with.converged);
  EXPECT_LT(with.iterations, 30);
  EXPECT_LE((b - a * x).norm(), 1e-10 * b.norm()) << "right preconditioning keeps the residual of the given system";
  Vec y = Vec::Zero(n);
  const GmresResult without = Gmres(n, 30).solve(op, b, y, {.relative_tolerance = 1e-10, .max_iterations = 60});
  EXPECT_FALSE(without.converged);
  EXPECT_EQ(without.iterations, 60);
}

TEST(Gmres, EndsEarlyWhenTheKrylovSpaceIsInvariant) {
  Mat a = Mat::Identity(30, 30) * 2.0;
  a(0, 0) = 5.0;  // with two distinct eigenvalues two steps are enough
  MatrixOperator op(a);
  const Vec b = Vec::LinSpaced(30, 1, 2);
  Vec x = Vec::Zero(30);
  const GmresResult result = Gmres(30).solve(op, b, x, {.relative_tolerance = 0.0, .absolute_tolerance = 1e-13});
  EXPECT_TRUE(result.converged);
  EXPECT_LE(result.iterations, 3);
  EXPECT_LT((a * x - b).norm(), 1e-13);
  x.setZero();
  EXPECT_LE(Gmres(30).solve(op, b, x, {.relative_tolerance = 0.0}).iterations, 8) << "nothing left to gain";
  EXPECT_LT((a * x - b).norm(), 1e-13);
}

TEST(Gmres, CyclicShiftNeedsExactlyNSteps) {
  const Index n = 12;
  Mat shift = Mat::Zero(n, n);  // the classical worst case: no progress before step n
  for (Index i = 0; i < n; ++i) shift((i + 1) % n, i) = 1.0;
  MatrixOperator op(shift);
  const Vec b = Vec::Unit(n, 0);
  Vec x = Vec::Zero(n);
  const GmresResult full = Gmres(n, static_cast<int>(n)).solve(op, b, x);
  EXPECT_TRUE(full.converged);
  EXPECT_EQ(full.iterations, n);
  x.setZero();
  const GmresResult stalled = Gmres(n, 5).solve(op, b, x);
  EXPECT_FALSE(stalled.converged);
  EXPECT_LT(stalled.iterations, 20) << "a cycle without progress must not be repeated";
  EXPECT_NEAR(stalled.residual, 1.0, 1e-14);
}

TEST(Gmres, SingularOperator) {
  Mat a = Mat::Zero(3, 3);
  a(0, 0) = 1.0;
  MatrixOperator op(a);
  Vec x = Vec::Zero(3);
  EXPECT_TRUE(Gmres(3).solve(op, Vec::Unit(3, 0) * 2.0, x).converged) << "b in the range";
  EXPECT_NEAR(x[0], 2.0, 1e-15);
  x.setZero();
  const GmresResult outside = Gmres(3).solve(op, Vec::Ones(3), x);
  EXPECT_FALSE(outside.converged);
  EXPECT_TRUE(x.allFinite());
  EXPECT_NEAR(outside.residual, std::sqrt(2.0), 1e-12) << "the least residual";
  x.setZero();
  EXPECT_FALSE(Gmres(3).solve(op, Vec::Unit(3, 1), x).converged) << "A b = 0: no direction at all";
  EXPECT_EQ(x, Vec::Zero(3));
}

TEST(Gmres, ZeroRightHandSideAndExactGuess) {
  MatrixOperator op(random_matrix(5, 3));
  Vec x = Vec::Ones(5);
  const GmresResult zero = Gmres(5).solve(op, Vec::Zero(5), x);
  EXPECT_TRUE(zero.converged);
  EXPECT_EQ(zero.iterations, 0);
  EXPECT_EQ(x, Vec::Zero(5));
  x = Vec::Ones(5);
  Vec b(5);
  op.apply(x, b);
  const GmresResult guessed = Gmres(5).solve(op, b, x);
  EXPECT_TRUE(guessed.converged);
  EXPECT_EQ(guessed.iterations, 0);
  EXPECT_EQ(x, Vec::Ones(5));
}

TEST(Gmres, AbsoluteToleranceAlone) {
  MatrixOperator op(convection_diffusion(20, 0.1));
  Vec x = Vec::Zero(20);
  const Vec b = Vec::Constant(20, 1e-9);
  EXPECT_EQ(Gmres(20).solve(op, b, x, {.relative_tolerance = 1e-10, .absolute_tolerance = 1e-6}).iterations, 0);
}

TEST(Gmres, TellsNonFiniteProducts) {
  for (const int at : {1, 2, 4}) {
    MatrixOperator op(random_matrix(6, 4));
    op.poison_at = at;
    Vec x = Vec::Zero(6);
    const GmresResult result = Gmres(6).solve(op, Vec::Ones(6), x);
    EXPECT_TRUE(result.non_finite) << at;
    EXPECT_FALSE(result.converged);
    EXPECT_EQ(x, Vec::Zero(6));
  }
  MatrixOperator op(random_matrix(6, 4));
  Vec x = Vec::Zero(6), b = Vec::Ones(6);
  b[3] = std::numeric_limits<double>::infinity();
  EXPECT_TRUE(Gmres(6).solve(op, b, x).non_finite);
}

TEST(Gmres, RefusesWrongSizes) {
  MatrixOperator op(random_matrix(6, 4));
  Vec x = Vec::Zero(6);
  EXPECT_THROW(Gmres(5).solve(op, Vec::Ones(6), x), std::invalid_argument);
  EXPECT_THROW(Gmres(5, 0), std::invalid_argument);
}

TEST(Gmres, DoesNotAllocateInSolve) {
  const Index n = 80;
  MatrixOperator op(convection_diffusion(n, 0.2)), half(0.5 * Mat::Identity(n, n));
  Gmres gmres(n, 10);
  const Vec b = Vec::Ones(n);
  Vec x = Vec::Zero(n);
  const AllocationGuard guard;
  const GmresResult result = gmres.solve(op, b, x, {.max_iterations = 50}, &half);
  EXPECT_EQ(guard.count(), 0u);
  EXPECT_GT(result.iterations, 20);
}
}  // namespace trill
