// SPDX-License-Identifier: BSD-3-Clause
// Sparse saddle point matrices: products of rows, and the scaling of matrices before they are factorised.
#include "linalg/row_products.hpp"
#include "linalg/saddle_balance.hpp"
#include "support/matrices.hpp"
#include "trill/linalg/linear_solver.hpp"

#include <complex>

#include <gtest/gtest.h>

namespace trill {
namespace {
MatrixSlot slot_of(const Mat& dense) {
  MatrixSlot slot = MatrixSlot::sparse(dense.sparseView());
  for (Index j = 0; j < dense.cols(); ++j)
    for (Index i = 0; i < dense.rows(); ++i)
      if (dense(i, j) != 0) slot.add(i, j, dense(i, j));
  return slot;
}

const Mat G{{1, 2, 0, 0}, {0, -3, 1e-3, 0}, {0, 0, 5, 4}};

TEST(RowProducts, AreThoseOfDenseMatrices) {
  const Mat W = 2 * G.array().square();
  const Vec d{{1, 0.5, 100, 3}};
  const RowProducts products(slot_of(G));
  MatrixSlot S = products.pattern();
  for (int turn = 0; turn < 2; ++turn) products.form(slot_of(G), d, slot_of(W), S);
  EXPECT_EQ(Mat(S.as_sparse()), Mat(G * d.asDiagonal() * W.transpose()));
  EXPECT_EQ(S.value(0, 2), 0);
  EXPECT_EQ(S.stored(), 7);
}

Mat saddle(double light) {
  Mat A = Mat::Zero(7, 7);
  // Masses; the last one is zero, so only its constraint determines this coordinate.
  A.diagonal().head(4) << 1, light, 1e-4, 0;
  A.bottomLeftCorner(3, 4) = G;
  A.topRightCorner(4, 3) = G.transpose();
  return A;
}

TEST(SaddleBalance, HasUnitMassesAndRows) {
  const Mat A = saddle(1e-5);
  MatrixSlot slot = slot_of(A);
  SaddleBalance balance(slot, 4);
  balance.find(slot.values());
  balance.apply(slot.values());
  const Mat scaled = slot.as_sparse();
  for (Index i = 0; i < 3; ++i) EXPECT_NEAR(scaled(i, i), 1, 1e-14);
  for (Index k = 4; k < 7; ++k) EXPECT_NEAR(scaled.row(k).head(4).norm(), 1, 1e-14);
  EXPECT_LT((scaled - scaled.transpose()).norm(), 1e-14);
}

template <class Scalar>
double error_of_balanced(const Mat& A, Scalar shift) {
  using Matrix = Eigen::Matrix<Scalar, -1, -1>;
  using Vector = Eigen::Matrix<Scalar, -1, 1>;
  const MatrixSlot slot = slot_of(A);
  std::vector<Scalar> values(slot.values(), slot.values() + slot.stored());
  for (Scalar& value : values) value *= shift;
  SaddleBalance balance(slot, 4);
  balance.find(values.data());
  balance.apply(values.data());
  Matrix scaled = Matrix::Zero(7, 7);
  const Scalar* value = values.data();
  for (Index c = 0; c < 7; ++c)
    for (SpMat::InnerIterator it(slot.as_sparse(), c); it; ++it) scaled(it.row(), c) = *value++;
  const Vector b = Vector::LinSpaced(7, Scalar(1), Scalar(2));
  Vector x = b;
  balance.scale(x.data());
  x = scaled.fullPivLu().solve(x);
  balance.scale(x.data());
  const Vector exact = (shift * A).fullPivLu().solve(b);
  return (x - exact).norm() / exact.norm();
}

TEST(SaddleBalance, SolvesTheSameEquations) {
  EXPECT_LT(error_of_balanced<double>(saddle(1e-5), 1.0), 1e-9);
  EXPECT_LT(error_of_balanced<std::complex<double>>(saddle(1e-5), {0.3, 2.0}), 1e-9);
}

TEST(SaddleBalance, LeavesLightBodiesAmongHeavyOnesAlone) {
  MatrixSlot slot = slot_of(saddle(1e-13));
  const Mat before = slot.as_sparse();
  SaddleBalance balance(slot, 4);
  balance.find(slot.values());
  balance.apply(slot.values());
  EXPECT_EQ(Mat(slot.as_sparse()), before);
}

TEST(SaddleBalance, LeavesDenseMatricesAlone) {
  MatrixSlot dense = MatrixSlot::dense(3, 3);
  for (Index i = 0; i < 3; ++i) dense.add(i, i, 7);
  SaddleBalance balance(dense, 2);
  balance.find(dense.values());
  balance.apply(dense.values());
  EXPECT_EQ(dense.value(1, 1), 7);
}
}  // namespace
}  // namespace trill
