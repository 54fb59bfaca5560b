// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "trill/base/types.hpp"

namespace trill {
// y = A x without a matrix. apply must not keep x or y; it may use scratch memory of its own.
class LinearOperator {
 public:
  virtual ~LinearOperator() = default;
  virtual Index size() const = 0;
  virtual void apply(In x, Out y) = 0;
};

struct GmresOptions {
  double relative_tolerance = 1e-10;  // converged: |b - A x| <= max(relative |b|, absolute), Euclidean norms
  double absolute_tolerance = 0;
  int max_iterations = 500;  // products with A inside the cycles
};

struct GmresResult {
  bool converged = false;
  bool non_finite = false;  // a product, b or the guess was not finite; x is the last finite iterate
  int iterations = 0;
  double residual = 0;  // |b - A x|, actually computed, not the estimate of GMRES
};

// Restarted GMRES for A x = b, with a right preconditioner M: A M^-1 u = b, x = M^-1 u, so that the residual is
// that of the given system. Modified Gram-Schmidt, repeated after cancellation. All memory is allocated in the
// constructor.
class Gmres {
 public:
  explicit Gmres(Index size, int restart = 30);
  // x: initial guess in, solution out. preconditioner: applies M^-1, or nullptr.
  GmresResult solve(LinearOperator& a, In b, Out x, const GmresOptions& options = {},
                    LinearOperator* preconditioner = nullptr);

 private:
  enum class Cycle { finished, stopped, non_finite };
  Cycle run_cycle(LinearOperator& a, LinearOperator* preconditioner, double target, int budget, int& columns);
  double orthogonalise(int j);  // basis column j+1 against 0..j; fills h_, returns the column's norm
  bool rotate(int j);           // false: the new column adds nothing, A is singular on this space
  void correct(LinearOperator* preconditioner, int columns, Out x);
  double compute_residual(LinearOperator& a, In b, In x);  // stored in the first basis column

  Mat basis_, h_;
  Vec cosine_, sine_, rhs_, coefficients_, sum_, preconditioned_;
};
}  // namespace trill
