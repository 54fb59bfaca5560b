// SPDX-License-Identifier: BSD-3-Clause
#include "linalg/second_order_krylov.hpp"

#include "linalg/dense_decompositions.hpp"
#include "trill/base/errors.hpp"
#include "trill/linalg/linear_solver.hpp"

#include <algorithm>
#include <cmath>

namespace trill {
namespace {
constexpr double dependent_pair = 1e-12, dependent_direction = 1e-13;
constexpr Index more_pairs = 16;

void reserve_columns(Mat& m, Index rows, Index columns) {
  if (m.cols() < columns) m.conservativeResize(rows, columns + more_pairs);
}
}  // namespace

SecondOrderKrylov::SecondOrderKrylov(const SpMat& k, const SpMat& c, const SpMat& m, const Mat& start)
    : c_(c), m_(m), upper_(k.rows(), 0), lower_(k.rows(), 0), q_(k.rows(), 0) {
  MatrixSlot slot = MatrixSlot::sparse(k);
  std::copy_n(k.valuePtr(), k.nonZeros(), slot.values());
  solver_ = make_linear_solver(slot);
  if (!solver_->factorise(slot))
    throw UsageError("the stiffness matrix is singular, so that some motion meets no resistance");
  for (Index j = 0; j < start.cols(); ++j) {
    if (!(start.col(j).cwiseAbs().maxCoeff() > 0)) continue;
    const Vec r = solve(start.col(j));
    if (pairs_ == 0) {
      const double quasistatic = solve(m * r).norm();
      if (quasistatic > 0) scale_ = std::sqrt(r.norm() / quasistatic);  // a low frequency
    }
    append(r, Vec::Zero(r.size()));
  }
}

SecondOrderKrylov::~SecondOrderKrylov() = default;

Vec SecondOrderKrylov::solve(const Vec& b) {
  Vec x(b.size());
  solver_->solve(b, x);
  ++solves_;
  return x;
}

bool SecondOrderKrylov::append(Vec upper, Vec lower) {
  const double given = std::hypot(upper.norm(), lower.norm());
  for (int pass = 0; pass < 2; ++pass) {
    const auto a = upper_.leftCols(pairs_), b = lower_.leftCols(pairs_);
    const Vec along = a.transpose() * upper + b.transpose() * lower;
    upper -= a * along;
    lower -= b * along;
  }
  const double length = std::hypot(upper.norm(), lower.norm());
  if (!(length > dependent_pair * given)) return false;
  const Index n = upper.size();
  for (Mat* half : {&upper_, &lower_}) reserve_columns(*half, n, pairs_ + 1);
  upper_.col(pairs_) = upper / length;
  lower_.col(pairs_++) = lower / length;
  Vec direction = upper / upper.norm();
  for (int pass = 0; pass < 2; ++pass) {
    const auto known = q_.leftCols(size_);
    const Vec along = known.transpose() * direction;
    direction -= known * along;
  }
  const double left = direction.norm();
  if (left > dependent_direction) {
    reserve_columns(q_, n, size_ + 1);
    q_.col(size_++) = direction / left;
  }
  return true;
}

bool SecondOrderKrylov::extend() {
  const Index end = pairs_;
  for (Index j = newest_; j < end; ++j) {
    const Vec r = -solve(scale_ * (c_ * upper_.col(j)) + scale_ * scale_ * (m_ * lower_.col(j)));
    append(r, upper_.col(j));
  }
  newest_ = end;
  return pairs_ > end;
}

Mat second_order_basis(const SpMat& k, const SpMat& c, const SpMat& m, const Mat& start, Index vectors) {
  SecondOrderKrylov space(k, c, m, start);
  while (space.size() < vectors && space.extend()) {
  }
  return space.vectors().leftCols(std::min(vectors, space.size()));
}

Eigen::VectorXcd quadratic_roots(const Mat& m, const Mat& c, const Mat& k) {
  const Index n = m.rows();
  const Mat inverse = inverse_of(k).matrix;
  Mat a = Mat::Zero(2 * n, 2 * n);
  a.topRightCorner(n, n).setIdentity();
  a.bottomLeftCorner(n, n) = -inverse * m;
  a.bottomRightCorner(n, n) = -inverse * c;
  Eigen::VectorXcd roots = general_eigen(a, false).values.cwiseInverse();
  std::sort(roots.begin(), roots.end(), [](const auto& x, const auto& y) {
    return std::abs(x) < std::abs(y) || (std::abs(x) == std::abs(y) && x.imag() < y.imag());
  });
  return roots;
}
}  // namespace trill
