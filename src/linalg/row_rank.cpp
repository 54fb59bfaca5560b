// SPDX-License-Identifier: BSD-3-Clause
#include "linalg/row_rank.hpp"

#include "linalg/dense_decompositions.hpp"
#include "linalg/row_squares.hpp"
#include "linalg/simplicial_factors.hpp"

#include <algorithm>
#include <cmath>
#include <random>

namespace trill {
namespace {
constexpr Index most_dense_entries = 1 << 16;
constexpr double least_part = 1e-6;  // smallest relative coefficient of a row that counts as part of a combination
constexpr double shift = 1e-13;      // added to the diagonal of A A^T (rows of length 1): above its rounding error
constexpr int inverse_iterations = 4;

Vec inverse_lengths(const MatrixSlot& a) {
  return row_squares(a).unaryExpr([](double s) { return s > 0 ? 1 / std::sqrt(s) : 0.0; });
}

// Columns x with A^T x = 0 from A^T P = Q [R11 R12]: each combines one row beyond the rank with the rows before it in
// the order of the pivoting.
Mat dense_combinations(const Mat& transposed, double tolerance, Index most) {
  const PivotedQr qr = pivoted_qr(transposed);
  const Index rows = transposed.cols(), limit = std::min(transposed.rows(), rows);
  Index rank = 0;
  while (rank < limit && std::abs(qr.r(rank, rank)) > tolerance) ++rank;
  Mat x = Mat::Zero(rows, std::min(most, rows - rank));
  if (x.cols() == 0) return x;
  for (Index k = 0; k < x.cols(); ++k) x(qr.order[rank + k], k) = 1;
  if (rank == 0) return x;
  const Mat c =
      qr.r.topLeftCorner(rank, rank).triangularView<Eigen::Upper>().solve(qr.r.block(0, rank, rank, x.cols()));
  for (Index k = 0; k < x.cols(); ++k)
    for (Index i = 0; i < rank; ++i) x(qr.order[i], k) = -c(i, k);
  return x;
}

// The same from the smallest eigenvalues of S = A A^T. The pivots of S are the squared lengths of what remains of each
// row after the others are projected out, so one factorisation shows if there are no such x.
Mat sparse_combinations(const SpMat& scaled, double tolerance, Index most) {
  const Index rows = scaled.rows();
  const double nothing = std::max(tolerance * tolerance, 1e3 * shift);
  SpMat shifted = scaled * SpMat(scaled.transpose());
  const SpMat S = shifted;
  for (Index i = 0; i < rows; ++i) shifted.coeffRef(i, i) += shift;
  const SimplicialFactors factors(shifted);
  const Index small = (factors.pivots().array() <= nothing).count();
  if (small == 0) return Mat(rows, 0);
  std::mt19937 random(1);
  std::normal_distribution<double> normal;
  Mat x = Mat::NullaryExpr(rows, std::min({most, small + 1, rows}), [&] { return normal(random); });
  for (int k = 0; k < inverse_iterations; ++k) {
    factors.solve(x);
    x = orthonormal_columns(x);
  }
  SymmetricEigen parts;
  parts.compute(x.transpose() * (S * x));
  const Index found = (parts.values().array() <= std::max(tolerance * tolerance, 10 * shift)).count();
  return x * parts.vectors().leftCols(found);
}

// Combines the columns such that the last significant row of each is zero in all others.
void separate_last_rows(Mat& x, double takes_part, std::vector<Index>& last) {
  for (Index k = 0; k < x.cols(); ++k) {
    Index row = 0;
    const double size = x.col(k).cwiseAbs().maxCoeff();
    for (Index i = 0; i < x.rows(); ++i)
      if (std::abs(x(i, k)) > takes_part * size) row = i;
    last.push_back(row);
    x.col(k) /= x(row, k);
    for (Index l = 0; l < x.cols(); ++l)
      if (l != k) x.col(l) -= x(row, l) * x.col(k);
  }
}
}  // namespace

std::vector<DependentRow> dependent_rows(const MatrixSlot& a, double tolerance, Index most) {
  if (a.rows() == 0) return {};
  const Vec scale = inverse_lengths(a);
  Mat x;
  if (a.rows() * a.cols() <= most_dense_entries || !a.is_sparse()) {
    const Mat full = a.is_sparse() ? Mat(a.as_sparse()) : a.as_dense();
    x = dense_combinations(full.transpose() * scale.asDiagonal(), tolerance, most);
  } else {
    x = sparse_combinations(scale.asDiagonal() * a.as_sparse(), tolerance, most);
  }
  const double takes_part = std::max(least_part, tolerance);  // smaller coefficients are neglected
  std::vector<Index> last;
  separate_last_rows(x, takes_part, last);
  std::vector<DependentRow> found;
  for (Index k = 0; k < x.cols(); ++k) {
    DependentRow one{last[static_cast<std::size_t>(k)], {}};
    const double size = x.col(k).cwiseAbs().maxCoeff();
    for (Index i = 0; i < x.rows(); ++i)
      if (i != one.row && std::abs(x(i, k)) > takes_part * size) one.of.push_back(i);
    std::sort(one.of.begin(), one.of.end(), [&](Index i, Index j) { return std::abs(x(i, k)) > std::abs(x(j, k)); });
    found.push_back(std::move(one));
  }
  std::sort(found.begin(), found.end(), [](const auto& p, const auto& r) { return p.row < r.row; });
  return found;
}

Index row_rank(const MatrixSlot& a, double tolerance) {
  return a.rows() - static_cast<Index>(dependent_rows(a, tolerance, a.rows()).size());
}
}  // namespace trill
