// SPDX-License-Identifier: BSD-3-Clause
#include "linalg/differences.hpp"
#include "support/allocation_count.hpp"

#include <cmath>
#include <random>
#include <stdexcept>

#include <gtest/gtest.h>

namespace trill {
namespace {
MatrixSlot pattern_where(Index rows, Index cols, const std::function<bool(Index, Index)>& holds) {
  std::vector<Eigen::Triplet<double>> entries;
  for (Index j = 0; j < cols; ++j)
    for (Index i = 0; i < rows; ++i)
      if (holds(i, j)) entries.emplace_back(i, j, 1.0);
  SpMat a(rows, cols);
  a.setFromTriplets(entries.begin(), entries.end());
  return MatrixSlot::sparse(a);
}

void expect_no_colour_meets_itself(const MatrixSlot& pattern, const DifferenceJacobian& differences) {
  const Mat a = [&] {
    MatrixSlot ones = pattern;
    std::fill_n(ones.values(), ones.stored(), 1.0);
    return Mat(ones.as_sparse());
  }();
  for (Index c = 0; c < a.cols(); ++c) {
    EXPECT_LT(differences.colour(c), differences.colours());
    for (Index d = 0; d < c; ++d)
      if (differences.colour(c) == differences.colour(d)) {
        EXPECT_EQ(a.col(c).dot(a.col(d)), 0.0) << c << " " << d;
      }
  }
}

Mat written_out(const MatrixSlot& a) { return a.is_sparse() ? Mat(a.as_sparse()) : a.as_dense(); }

// f_i = x_{i-1}^2 - 3 x_i + sin(x_{i+1})
void chain(In x, Out f) {
  const Index n = x.size();
  for (Index i = 0; i < n; ++i)
    f[i] = (i > 0 ? x[i - 1] * x[i - 1] : 0.0) - 3.0 * x[i] + (i + 1 < n ? std::sin(x[i + 1]) : 0.0);
}

Mat chain_jacobian(const Vec& x) {
  const Index n = x.size();
  Mat j = Mat::Zero(n, n);
  for (Index i = 0; i < n; ++i) {
    j(i, i) = -3.0;
    if (i > 0) j(i, i - 1) = 2.0 * x[i - 1];
    if (i + 1 < n) j(i, i + 1) = std::cos(x[i + 1]);
  }
  return j;
}

MatrixSlot tridiagonal(Index n) {
  return pattern_where(n, n, [](Index i, Index j) { return std::abs(i - j) <= 1; });
}
}  // namespace

TEST(DifferenceJacobian, TridiagonalTakesThreeColours) {
  const Index n = 50;
  DifferenceJacobian differences(tridiagonal(n));
  EXPECT_EQ(differences.colours(), 3);
  expect_no_colour_meets_itself(tridiagonal(n), differences);
  MatrixSlot j = tridiagonal(n);
  const Vec x = Vec::LinSpaced(n, -2, 3);
  differences.evaluate(chain, x, j);
  EXPECT_EQ(differences.evaluations(), 4);
  EXPECT_LT((written_out(j) - chain_jacobian(x)).cwiseAbs().maxCoeff(), 1e-6);
  Vec f(n);
  chain(x, f);
  differences.evaluate(chain, x, f, j);
  EXPECT_EQ(differences.evaluations(), 7);
  EXPECT_LT((written_out(j) - chain_jacobian(x)).cwiseAbs().maxCoeff(), 1e-6);
}

TEST(DifferenceJacobian, CentralDifferencesAreMoreAccurate) {
  const Index n = 30;
  MatrixSlot forward = tridiagonal(n), central = tridiagonal(n);
  const Vec x = Vec::LinSpaced(n, -2, 3);
  DifferenceJacobian(forward).evaluate(chain, x, forward);
  DifferenceJacobian twice(central, {.central = true});
  twice.evaluate(chain, x, central);
  EXPECT_EQ(twice.evaluations(), 6);
  const double error_forward = (written_out(forward) - chain_jacobian(x)).cwiseAbs().maxCoeff();
  const double error_central = (written_out(central) - chain_jacobian(x)).cwiseAbs().maxCoeff();
  EXPECT_LT(error_central, 1e-9);
  EXPECT_LT(error_central, 0.1 * error_forward);
}

TEST(DifferenceJacobian, DenseGoesColumnByColumn) {
  const Index n = 6;
  MatrixSlot j = MatrixSlot::dense(n, n);
  DifferenceJacobian differences(j);
  EXPECT_EQ(differences.colours(), n);
  const Vec x = Vec::LinSpaced(n, 0.5, 3);
  differences.evaluate(chain, x, j);
  EXPECT_EQ(differences.evaluations(), n + 1);
  EXPECT_LT((written_out(j) - chain_jacobian(x)).cwiseAbs().maxCoeff(), 1e-6);
}

TEST(DifferenceJacobian, ArrowMatrices) {
  const Index n = 20;
  const MatrixSlot full_arrow = pattern_where(n, n, [](Index i, Index j) { return i == j || i == 0 || j == 0; });
  const DifferenceJacobian by_row(full_arrow);
  EXPECT_EQ(by_row.colours(), n) << "all columns share the full row";
  expect_no_colour_meets_itself(full_arrow, by_row);
  const MatrixSlot full_column = pattern_where(n, n, [](Index i, Index j) { return i == j || j == 0; });
  const DifferenceJacobian by_column(full_column);
  EXPECT_EQ(by_column.colours(), 2);
  expect_no_colour_meets_itself(full_column, by_column);
}

TEST(DifferenceJacobian, RandomRectangularPatterns) {
  for (unsigned seed = 1; seed <= 8; ++seed) {
    std::mt19937 random(seed);
    std::uniform_real_distribution<double> number(-1, 1);
    MatrixSlot pattern = pattern_where(15, 25, [&](Index, Index) { return number(random) > 0.8; });
    DifferenceJacobian differences(pattern);
    EXPECT_LT(differences.colours(), 25);
    expect_no_colour_meets_itself(pattern, differences);
    for (Index k = 0; k < pattern.stored(); ++k) pattern.values()[k] = number(random);
    MatrixSlot j = pattern;
    j.set_zero();
    const Vec x = Vec::LinSpaced(25, -3, 4);
    differences.evaluate([&](In at, Out f) { pattern.multiply(at, f); }, x, j);
    EXPECT_LT((written_out(j) - written_out(pattern)).cwiseAbs().maxCoeff(), 1e-6);
  }
}

TEST(DifferenceJacobian, TypicalSizesSetTheIncrement) {
  // For 1/x at 1e-9 an increment that suits numbers of size one would jump far beyond the range of x near the pole.
  MatrixSlot j = MatrixSlot::dense(1, 1);
  const auto inverse = [](In x, Out f) { f[0] = 1.0 / x[0]; };
  const Vec x = Vec::Constant(1, 1e-9);
  DifferenceJacobian differences(j);
  differences.evaluate(inverse, x, j);
  EXPECT_GT(std::abs(j.value(0, 0) / -1e18 - 1.0), 0.5);
  differences.set_typical(Vec::Constant(1, 1e-9));
  differences.evaluate(inverse, x, j);
  EXPECT_NEAR(j.value(0, 0) / -1e18, 1.0, 1e-6);
  EXPECT_THROW(differences.set_typical(Vec::Zero(1)), std::invalid_argument);
  EXPECT_THROW(differences.set_typical(Vec::Ones(2)), std::invalid_argument);
  EXPECT_THROW(DifferenceJacobian(j, {.typical = -1.0}), std::invalid_argument);
}

TEST(DifferenceJacobian, RefusesAnotherPattern) {
  MatrixSlot other = MatrixSlot::dense(5, 5);
  DifferenceJacobian differences(tridiagonal(5));
  EXPECT_THROW(differences.evaluate(chain, Vec::Ones(5), other), std::logic_error);
}

TEST(DifferenceJacobian, DoesNotAllocateInEvaluate) {
  const Index n = 40;
  MatrixSlot j = tridiagonal(n);
  DifferenceJacobian differences(j), central(j, {.central = true});
  const DifferenceJacobian::Function f = chain;
  const Vec x = Vec::LinSpaced(n, -2, 3);
  const AllocationGuard guard;
  differences.evaluate(f, x, j);
  central.evaluate(f, x, j);
  EXPECT_EQ(guard.count(), 0u);
}
}  // namespace trill
