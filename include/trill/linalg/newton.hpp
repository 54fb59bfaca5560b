// SPDX-License-Identifier: BSD-3-Clause
// For authors of implicit methods: the one Newton iteration of the library.
#pragma once

#include "trill/linalg/linear_solver.hpp"

#include <limits>
#include <memory>
#include <string_view>

namespace trill {
// The equation r(x) = 0 that a method has to solve in one step. Iterations with an approximate Jacobian differ only in
// their prepare(); the Newton loop is the same for all. MatrixSystem implements prepare() and correct() with a
// MatrixSlot and a LinearSolver.
class NonlinearSystem {
 public:
  virtual ~NonlinearSystem() = default;
  virtual Index size() const = 0;
  virtual void residual(In x, Out r) = 0;
  virtual bool prepare(In x) = 0;          // compute and factorise J at the x of the last residual; false: singular
  virtual void correct(In r, Out dx) = 0;  // solve J dx = r with the prepared J; the next iterate is x - dx
  // How large the correction after the first one, dx, will be, if the system can tell; the size in the weighted norm.
  // That saves a residual where residuals are expensive. Infinite: it cannot.
  virtual double next_correction(In /*dx*/, In /*weights*/) const { return std::numeric_limits<double>::infinity(); }
  // May shorten the step from x to x + step, as junction limiting in circuits does. Returns false if this system never
  // limits steps.
  virtual bool limit(In /*x*/, Out /*step*/) { return false; }
};

// The usual case: the derived class provides residual() and jacobian(), this one owns matrix and solver.
class MatrixSystem : public NonlinearSystem {
 public:
  explicit MatrixSystem(const MatrixSlot& pattern);
  MatrixSystem(const MatrixSlot& pattern, std::string_view solver);
  MatrixSystem(const MatrixSystem& other);
  MatrixSystem& operator=(const MatrixSystem& other);

  Index size() const override { return matrix_.rows(); }
  bool prepare(In x) override;
  void correct(In r, Out dx) override;
  virtual void jacobian(In x, MatrixSlot& j) = 0;  // j is zero on entry

  const MatrixSlot& matrix() const { return matrix_; }
  void forget() { solver_->analyse(matrix_); }  // drops the pivot order of earlier matrices; allocates

 private:
  MatrixSlot matrix_;
  std::unique_ptr<LinearSolver> solver_;
};

struct NewtonOptions {
  double tolerance = 1e-10;  // on the estimated error of x, in the weighted norm
  int max_iterations = 10;
  double max_rate = 0.9;        // |dx_k| / |dx_k-1| above this twice in a row: diverged
  int jacobian_every = 1;       // 1: full Newton; k: prepare every k iterations; 0: only at the start
  double rounding = 0;          // x is accepted if |dx| is below this and no longer shrinks (weighted norm)
  int stalls = 1;               // how many such corrections in a row are needed for that
  bool exact_jacobian = false;  // prepare() takes the derivative of the residual itself, so convergence is quadratic
  bool predict = true;          // false: iterate until |dx| itself, not the estimated error, is below the tolerance
};

struct NewtonStats {
  int iterations = 0, factorisations = 0;  // in this call, including an abandoned first attempt
  double rate = 0;                         // last |dx_k| / |dx_k-1|; 0 when there was only one
  double residual = 0;                     // plain rms of the last residual computed, before the last correction
  bool converged = false, singular = false, non_finite = false;
};

// The one Newton loop of the library: x - J^-1 r until rho/(1 - rho) |dx| <= tolerance, where rho is the observed
// contraction (rho^2/(1 - rho) |dx| for exact Jacobians that are prepared anew every time) and |dx| = rms(dx_i
// weights_i). If it fails, x is reset to the initial guess. All memory is allocated in the constructor.
class Newton {
 public:
  explicit Newton(Index size, const NewtonOptions& options = {});

  // x: initial guess in, solution out. reuse: first try the Jacobian that was prepared last. If the iteration then
  // fails or contracts worse than slow_rate, it is started again from the same guess with a new Jacobian.
  NewtonStats solve(NonlinearSystem& system, Out x, In weights, bool reuse = false);

  const NewtonOptions& options() const { return options_; }
  void set_options(const NewtonOptions& options);
  static constexpr double slow_rate = 0.3;

 private:
  bool iterate(NonlinearSystem& system, Out x, In weights, bool reuse, NewtonStats& stats);

  NewtonOptions options_;
  Vec start_, r_, dx_;
};
}  // namespace trill
