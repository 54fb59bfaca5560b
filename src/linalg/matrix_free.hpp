// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "linalg/krylov.hpp"
#include "trill/linalg/newton.hpp"

namespace trill {
// Newton corrections without a matrix: J v by a difference of residuals along v, J dx = r by GMRES. For systems too
// large or too dense to factorise. All memory is allocated in the constructor.
class MatrixFreeJacobian final : public LinearOperator {
 public:
  explicit MatrixFreeJacobian(Index size, int restart = 40);
  void at(NonlinearSystem& system, In x);  // sets the point x of J for the next solves
  // Inexact: the relative residual of the linear system is only reduced to `relative`; Newton iterations do the rest.
  GmresResult solve(In r, Out dx, double relative = 1e-4);
  Index size() const override { return x_.size(); }
  void apply(In v, Out jv) override;

 private:
  NonlinearSystem* system_ = nullptr;
  Gmres gmres_;
  Vec x_, r_, moved_;
};
}  // namespace trill
