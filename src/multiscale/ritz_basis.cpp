// SPDX-License-Identifier: BSD-3-Clause
#include "multiscale/ritz_basis.hpp"

#include <algorithm>
#include <cmath>

namespace trill {
namespace {
// A column that shrinks below this share of its length when it is made orthogonal to the others depends on them.
constexpr double dependent_column = 1e-9;
constexpr Index more_columns = 16;
}  // namespace

RitzBasis::RitzBasis(const StructureSpace& space, const Mat& start) : space_(space), basis_(start.rows(), 0) {
  std::vector<Index> used;
  for (Index c = 0; c < start.cols(); ++c)
    if (space.products(start.col(c), start.col(c))(0, 0) > 0) used.push_back(c);
  Mat block(start.rows(), static_cast<Index>(used.size()));
  for (std::size_t c = 0; c < used.size(); ++c) block.col(static_cast<Index>(c)) = start.col(used[c]);
  solves_ = block.cols();
  append(block.cols() > 0 ? space.solve(block) : block);
}

// Orthogonalises twice, column by column, and drops what depends on the basis.
void RitzBasis::append(const Mat& w) {
  const Index before = size_;
  if (basis_.cols() < size_ + w.cols()) basis_.conservativeResize(w.rows(), size_ + std::max(w.cols(), more_columns));
  for (Index c = 0; c < w.cols(); ++c) {
    Vec x = w.col(c);
    const double given = space_.length(x);
    for (int pass = 0; pass < 2; ++pass) {
      const auto known = basis_.leftCols(size_);
      const Vec along = space_.products(known, space_.mass_times(x));
      x.noalias() -= known * along;
    }
    const double length = space_.length(x);
    if (length > dependent_column * given) basis_.col(size_++) = x / length;
  }
  last_ = size_ - before;
  stiffness_ = bordered(stiffness_, space_.stiffness_times(basis_.middleCols(before, last_)));
  look_ahead(before);
}

// With a block for the newest columns of the basis, which an operator has turned into `image`.
Mat RitzBasis::bordered(const Mat& matrix, const Mat& image) const {
  const Index before = matrix.rows();
  const Mat products = space_.products(basis_.leftCols(size_), image);
  Mat grown = Mat::Zero(size_, size_);
  grown.topLeftCorner(before, before) = matrix;
  grown.rightCols(size_ - before) = products;
  grown.bottomRows(size_ - before) = products.transpose();
  return grown;
}

// K^-1 M times the newest block is the next one, and tells how far the Ritz vectors are from modes.
void RitzBasis::look_ahead(Index before) {
  ahead_.resize(basis_.rows(), 0);
  if (last_ == 0) return;
  ahead_ = space_.solve(space_.mass_times(basis_.middleCols(before, last_)));
  solves_ += last_;
  inverse_ = bordered(inverse_, space_.mass_times(ahead_));
  const Mat rest = ahead_ - basis_.leftCols(size_) * inverse_.rightCols(last_);
  outside_ = space_.products(rest, space_.mass_times(rest));
}

bool RitzBasis::extend() {
  if (last_ == 0) return false;
  append(Mat(ahead_));
  return last_ > 0;
}

bool RitzBasis::solve() {
  // As M x = mu K x, which gives low frequencies accurately.
  Cholesky factors(size_);
  if (!factors.compute(stiffness_)) return false;
  Mat inner = Mat::Identity(size_, size_);
  factors.solve_lower(inner);
  SymmetricEigen eigen(size_);
  if (!eigen.compute(inner * inner.transpose())) return false;
  const Vec mu = eigen.values().reverse();
  combinations_ = eigen.vectors().rowwise().reverse();
  factors.solve_transposed(combinations_);
  for (Index j = 0; j < size_; ++j) combinations_.col(j) /= combinations_.col(j).norm();
  lambda_ = mu.cwiseInverse();
  return lambda_.allFinite() && lambda_.minCoeff() > 0;
}

Mat RitzBasis::shares_of(Columns x) const { return combinations_.transpose() * space_.products(vectors(), x); }

double RitzBasis::residual(Index j) const {
  if (last_ == 0) return 0;
  const Vec s = combinations_.col(j);
  const double mu = 1 / lambda_[j];
  const Vec newest = s.tail(last_);
  return std::sqrt((inverse_ * s - mu * s).squaredNorm() + std::max(newest.dot(outside_ * newest), 0.0)) / mu;
}
}  // namespace trill
