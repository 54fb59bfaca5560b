// SPDX-License-Identifier: BSD-3-Clause
#include "linalg/matrix_free.hpp"

#include <cmath>
#include <limits>

namespace trill {
MatrixFreeJacobian::MatrixFreeJacobian(Index size, int restart)
    : gmres_(size, restart), x_(Vec::Zero(size)), r_(Vec::Zero(size)), moved_(Vec::Zero(size)) {}

void MatrixFreeJacobian::at(NonlinearSystem& system, In x) {
  system_ = &system;
  x_ = x;
  system.residual(x_, r_);
}

GmresResult MatrixFreeJacobian::solve(In r, Out dx, double relative) {
  dx.setZero();
  return gmres_.solve(*this, r, dx, {.relative_tolerance = relative});
}

void MatrixFreeJacobian::apply(In v, Out jv) {
  const double length = v.norm();
  if (length == 0) {
    jv.setZero();
    return;
  }
  // This increment balances truncation and rounding errors of the difference.
  const double step = std::sqrt(std::numeric_limits<double>::epsilon()) * (1 + x_.norm()) / length;
  moved_ = x_ + step * v;
  system_->residual(moved_, jv);
  jv = (jv - r_) / step;
}
}  // namespace trill
