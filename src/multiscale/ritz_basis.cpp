// SPDX-License-Identifier: BSD-3-Clause
#include "multiscale/ritz_basis.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace trill {
namespace {
// A column that shrinks below this share of its length when it is made orthogonal to the others depends on them.
constexpr double dependent_column = 1e-9;
constexpr Index more_columns = 16;
constexpr double residual_of_mode = 1e-8;  // relative to the eigenvalue of K^-1 M
}  // namespace

RitzBasis::RitzBasis(const StructureSpace& space, const Mat& start, const Mat& rigid)
    : space_(space), rigid_(rigid), basis_(start.rows(), 0), stiffness_norm_(space.stiffness_norm()) {
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
      if (rigid_.cols() > 0) x -= rigid_ * space_.products(rigid_, space_.mass_times(x));
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
  if (!lambda_.allFinite() || !(lambda_.minCoeff() > 0)) return false;
  inside_ = (inverse_ * combinations_ - combinations_ * mu.asDiagonal()).colwise().norm();
  const Vec lowest = vectors() * combinations_.col(0);
  rounding_ =
      std::numeric_limits<double>::epsilon() * stiffness_norm_ * space_.products(lowest, lowest)(0, 0) / lambda_[0];
  return true;
}

Mat RitzBasis::shares_of(Columns x) const { return combinations_.transpose() * space_.products(vectors(), x); }

// The part of its residual that is outside of the space tells whether more vectors would change a Ritz vector. The part
// inside, where K and the solves with it meet, does not fall below what rounding does to the lowest mode.
bool RitzBasis::is_mode(Index j) const {
  if (last_ == 0) return true;
  const Vec newest = combinations_.col(j).tail(last_);
  const double outside = std::sqrt(std::max(newest.dot(outside_ * newest), 0.0));
  return outside * lambda_[j] <= residual_of_mode && inside_[j] * lambda_[j] <= std::max(residual_of_mode, rounding_);
}
}  // namespace trill
