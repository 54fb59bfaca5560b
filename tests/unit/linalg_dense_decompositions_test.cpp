// SPDX-License-Identifier: BSD-3-Clause
#include "linalg/dense_decompositions.hpp"
#include "support/allocation_count.hpp"

#include <Eigen/Eigenvalues>
#include <gtest/gtest.h>

namespace trill {
namespace {
Mat some_matrix(Index rows, Index cols) {
  return Mat::NullaryExpr(rows, cols, [](Index i, Index j) { return std::cos(1.0 + 3.1 * i + 1.7 * i * j + j); });
}

Mat positive_definite(Index n) {
  const Mat a = some_matrix(n, n);
  return a * a.transpose() + Mat::Identity(n, n);
}

TEST(SymmetricEigen, DiagonalisesAndReadsTheLowerTriangleOnly) {
  const Mat a = positive_definite(6);
  Mat lower = a.triangularView<Eigen::Lower>();
  SymmetricEigen eigen;
  ASSERT_TRUE(eigen.compute(lower));
  EXPECT_LT((a * eigen.vectors() - eigen.vectors() * eigen.values().asDiagonal()).norm(), 1e-12 * a.norm());
  EXPECT_LT((eigen.vectors().transpose() * eigen.vectors() - Mat::Identity(6, 6)).norm(), 1e-13);
  for (Index k = 1; k < 6; ++k) EXPECT_LE(eigen.values()[k - 1], eigen.values()[k]);
}

TEST(SymmetricEigen, IsEigensSolverToTheLastBit) {
  for (const Index n : {1, 2, 3, 7, 40}) {
    const Mat a = some_matrix(n, n) + some_matrix(n, n).transpose();
    const Eigen::SelfAdjointEigenSolver<Mat> reference(a);
    SymmetricEigen eigen;
    ASSERT_TRUE(eigen.compute(a));
    EXPECT_EQ(eigen.values(), reference.eigenvalues()) << n;
    EXPECT_EQ(eigen.vectors(), reference.eigenvectors()) << n;
  }
}

TEST(SymmetricEigen, TakesTridiagonalMatrices) {
  const Vec diagonal{{2, 3, 1, 5}}, beside{{0.5, -1, 0.25}};
  Mat a = diagonal.asDiagonal();
  for (Index i = 0; i < 3; ++i) a(i, i + 1) = a(i + 1, i) = beside[i];
  SymmetricEigen whole, tridiagonal(4);
  ASSERT_TRUE(whole.compute(a));
  ASSERT_TRUE(tridiagonal.compute_tridiagonal(diagonal, beside));
  EXPECT_LT((whole.values() - tridiagonal.values()).norm(), 1e-14);
}

TEST(SymmetricEigen, AllocatesAtANewSizeOnly) {
  if (!counts_allocations()) GTEST_SKIP() << "a sanitizer owns malloc";
  SymmetricEigen eigen(8);
  const Mat a = positive_definite(8), b = 2 * a;
  const AllocationGuard guard;
  eigen.compute(a);
  eigen.compute(b);
  EXPECT_EQ(guard.count(), 0u);
}

TEST(CholeskyFactors, SolveWithTheMatrixAndWithEachOfItsTriangles) {
  const Mat a = positive_definite(5), b = some_matrix(5, 3);
  Cholesky factors;
  ASSERT_TRUE(factors.compute(a));
  Mat x = b, y = b;
  factors.solve(x);
  EXPECT_LT((a * x - b).norm(), 1e-12 * b.norm());
  factors.solve_lower(y);
  factors.solve_transposed(y);
  EXPECT_LT((x - y).norm(), 1e-14 * x.norm());
}

TEST(CholeskyFactors, TellThatAMatrixIsNotPositiveDefinite) {
  Mat a = positive_definite(4);
  a(2, 2) = -1;
  EXPECT_FALSE(Cholesky().compute(a));
}

TEST(GeneralEigen, FindsComplexPairsWithTheirVectors) {
  Mat turn(3, 3);
  turn << 0, -2, 0, 2, 0, 0, 0, 0, 7;
  const GeneralEigen found = general_eigen(turn, true);
  ASSERT_TRUE(found.converged);
  EXPECT_LT((turn.cast<std::complex<double>>() * found.vectors - found.vectors * found.values.asDiagonal()).norm(),
            1e-13);
  EXPECT_NEAR(found.values.imag().cwiseAbs().maxCoeff(), 2, 1e-14);
  EXPECT_EQ(general_eigen(turn, false).vectors.size(), 0);
}

TEST(DenseInverse, ComesWithItsCondition) {
  const Mat a = positive_definite(4);
  const DenseInverse found = inverse_of(a);
  EXPECT_LT((a * found.matrix - Mat::Identity(4, 4)).norm(), 1e-12);
  EXPECT_GT(found.reciprocal_condition, 1e-3);
  Mat nearly_singular = a;
  nearly_singular.col(3) = nearly_singular.col(0) + 1e-13 * nearly_singular.col(3);
  EXPECT_LT(inverse_of(nearly_singular).reciprocal_condition, 1e-12);
}

TEST(Orthonormal, BasesSpanTheColumnsAndTheirComplement) {
  const Mat a = some_matrix(6, 2);
  const Mat basis = orthonormal_basis(a), columns = orthonormal_columns(a);
  EXPECT_LT((basis.transpose() * basis - Mat::Identity(6, 6)).norm(), 1e-14);
  EXPECT_LT((basis.rightCols(4).transpose() * a).norm(), 1e-14);
  EXPECT_LT((columns - basis.leftCols(2)).norm(), 1e-14);
  Mat dependent(6, 3);
  dependent << a, a.col(0) - 2 * a.col(1);
  const Mat complement = orthogonal_complement(dependent);
  ASSERT_EQ(complement.cols(), 4) << "the third column adds nothing";
  EXPECT_LT((complement.transpose() * dependent).norm(), 1e-13);
}

TEST(PivotedQr, PutsTheLargestColumnFirstAndKnowsTheRank) {
  Mat a = some_matrix(4, 3);
  a.col(1) *= 10;
  a.col(2) = a.col(0) + a.col(1);
  const PivotedQr qr = pivoted_qr(a);
  EXPECT_EQ(qr.rank, 2);
  EXPECT_NE(qr.order[0], 0);
  Mat permuted(4, 3);
  for (Index k = 0; k < 3; ++k) permuted.col(k) = a.col(qr.order[k]);
  EXPECT_LT((qr.r.transpose() * qr.r - permuted.transpose() * permuted).norm(), 1e-12 * a.squaredNorm());
  EXPECT_EQ(qr.r(2, 0), 0);
}
}  // namespace
}  // namespace trill
