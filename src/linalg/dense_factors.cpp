// SPDX-License-Identifier: BSD-3-Clause
#include "linalg/dense_decompositions.hpp"

#include <Eigen/Cholesky>
#include <Eigen/LU>
#include <Eigen/QR>

namespace trill {
struct Cholesky::Factors {
  explicit Factors(Index n) : llt(n) {}
  Eigen::LLT<Mat> llt;
};

Cholesky::Cholesky(Index n) : factors_(std::make_unique<Factors>(n)) {}
Cholesky::~Cholesky() = default;
Cholesky::Cholesky(Cholesky&&) noexcept = default;
Cholesky& Cholesky::operator=(Cholesky&&) noexcept = default;

bool Cholesky::compute(const Mat& a) { return factors_->llt.compute(a).info() == Eigen::Success; }
void Cholesky::solve(Mat& b) const { factors_->llt.solveInPlace(b); }
void Cholesky::solve_lower(Mat& b) const { factors_->llt.matrixL().solveInPlace(b); }
void Cholesky::solve_transposed(Mat& b) const { factors_->llt.matrixU().solveInPlace(b); }

DenseInverse inverse_of(const Mat& a) {
  const Eigen::PartialPivLU<Mat> lu(a);
  return {lu.inverse(), lu.rcond()};
}

Mat orthonormal_basis(const Mat& a) { return Eigen::HouseholderQR<Mat>(a).householderQ(); }

Mat orthonormal_columns(const Mat& a) {
  return Eigen::HouseholderQR<Mat>(a).householderQ() * Mat::Identity(a.rows(), a.cols());
}

Mat orthogonal_complement(const Mat& a) {
  const Eigen::ColPivHouseholderQR<Mat> factors(a);
  const Mat q = factors.householderQ();
  return q.rightCols(a.rows() - factors.rank());
}

PivotedQr pivoted_qr(const Mat& a) {
  const Eigen::ColPivHouseholderQR<Mat> factors(a);
  return {factors.matrixQR().triangularView<Eigen::Upper>(), factors.colsPermutation().indices(), factors.rank()};
}
}  // namespace trill
