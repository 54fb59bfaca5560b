// SPDX-License-Identifier: BSD-3-Clause
#include "formulation/reactive_acceleration.hpp"

#include "trill/linalg/kernels.hpp"

namespace trill {
namespace {
constexpr int most_reaction_iterations = 50;
constexpr double settled_reaction = 1e-13, stalled_reaction = 1e-9;  // relative to the largest multiplier
}  // namespace

ReactiveAcceleration::ReactiveAcceleration(const ReactionForces& forces, Index unknowns, Index rows, Index hard)
    : forces_(forces),
      hard_(hard),
      slopes_(forces.reaction_patterns()),
      matrix_(MatrixSlot::dense(hard, hard)),
      solver_(make_linear_solver(matrix_)),
      f_(Vec::Zero(unknowns)),
      r_(f_),
      x_(f_),
      balance_(f_),
      mu_(Vec::Zero(rows)),
      zero_(mu_),
      unit_(Vec::Zero(hard)),
      hard_lambda_(unit_),
      off_(unit_) {
  solver_->analyse(matrix_);
}

// lambda is a function of r by one linear solve; the iteration is for lambda(r(lambda)) = lambda and begins without r,
// so that its result depends on the state alone.
bool ReactiveAcceleration::solve(ConstraintManifold& manifold, double t, In q, In v, In f, Out a, Out lambda) {
  manifold.accelerate(f, v, a, lambda);
  hard_lambda_ = lambda.tail(hard_);
  double last = 0;
  for (int k = 0; k < most_reaction_iterations; ++k) {
    forces_.reaction_force(t, q, v, hard_lambda_, r_);
    f_ = f + r_;
    manifold.accelerate(f_, v, a, lambda);
    if (!all_finite(a) || !all_finite(lambda)) return false;
    off_ = lambda.tail(hard_) - hard_lambda_;
    const double error = max_abs(off_), size = max_abs(lambda.tail(hard_));
    if (error <= settled_reaction * size || (k > 1 && error >= 0.5 * last && error <= stalled_reaction * size))
      return true;
    last = error;
    if (!correct(manifold, t, q, v)) return false;
  }
  return false;
}

bool ReactiveAcceleration::correct(ConstraintManifold& manifold, double t, In q, In v) {
  forces_.reaction_jacobians(t, q, v, hard_lambda_, slopes_);
  matrix_.set_zero();
  for (Index j = 0; j < hard_; ++j) {
    unit_.setZero();
    unit_[j] = 1;
    slopes_.by_multiplier.multiply(unit_, r_);
    manifold.solve(r_, zero_, x_, mu_);
    for (Index i = 0; i < hard_; ++i) matrix_.add(i, j, (i == j ? 1 : 0) - mu_[mu_.size() - hard_ + i]);
  }
  if (!solver_->factorise(matrix_)) return false;
  solver_->solve(off_, unit_);
  hard_lambda_ += unit_;
  return all_finite(hard_lambda_);
}

bool ReactiveAcceleration::close(ConstraintManifold& manifold, double t, In q, In v, Out a, Out lambda) {
  manifold.mass().multiply(a, x_);
  manifold.jacobian().multiply_transposed(lambda, r_);
  x_ += r_;
  hard_lambda_ = lambda.tail(hard_);
  forces_.reaction_force(t, q, v, hard_lambda_, r_);
  balance_ = x_ - r_;
  return solve(manifold, t, q, v, balance_, a, lambda);
}
}  // namespace trill
