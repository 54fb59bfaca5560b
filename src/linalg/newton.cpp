// SPDX-License-Identifier: BSD-3-Clause
#include "trill/linalg/newton.hpp"

#include "trill/linalg/kernels.hpp"

#include <cmath>
#include <limits>
#include <stdexcept>
#include <string>

namespace trill {
MatrixSystem::MatrixSystem(const MatrixSlot& pattern) : matrix_(pattern), solver_(make_linear_solver(pattern)) {}

MatrixSystem::MatrixSystem(const MatrixSlot& pattern, std::string_view solver)
    : matrix_(pattern), solver_(make_linear_solver(solver, pattern)) {}

MatrixSystem::MatrixSystem(const MatrixSystem& other)
    : NonlinearSystem(other), matrix_(other.matrix_), solver_(other.solver_->clone()) {}

MatrixSystem& MatrixSystem::operator=(const MatrixSystem& other) {
  if (this == &other) return *this;
  matrix_ = other.matrix_;
  solver_ = other.solver_->clone();
  return *this;
}

bool MatrixSystem::prepare(In x) {
  matrix_.set_zero();
  jacobian(x, matrix_);
  return solver_->factorise(matrix_);
}

void MatrixSystem::correct(In r, Out dx) { solver_->solve(r, dx); }

Newton::Newton(Index size, const NewtonOptions& options)
    : start_(Vec::Zero(size)), r_(Vec::Zero(size)), dx_(Vec::Zero(size)) {
  set_options(options);
}

void Newton::set_options(const NewtonOptions& options) {
  if (!(options.tolerance > 0) || options.max_iterations < 1 || !(options.max_rate > 0) || options.jacobian_every < 0)
    throw std::invalid_argument(
        "newton: needs tolerance > 0, max_iterations >= 1, max_rate > 0 and jacobian_every >= 0");
  options_ = options;
}

NewtonStats Newton::solve(NonlinearSystem& system, Out x, In weights, bool reuse) {
  const Index n = start_.size();
  if (system.size() != n || x.size() != n || weights.size() != n)
    throw std::invalid_argument("newton: it was made for " + std::to_string(n) +
                                " unknowns and was called with another number");
  NewtonStats stats;
  start_ = x;
  bool solved = reuse && iterate(system, x, weights, true, stats);
  if (!solved) {
    if (reuse) x = start_;
    stats.non_finite = false;  // the old Jacobian may be the cause
    solved = iterate(system, x, weights, false, stats);
  }
  if (!solved) x = start_;
  stats.residual = n == 0 ? 0.0 : r_.norm() / std::sqrt(static_cast<double>(n));
  return stats;
}

namespace {
// dx <- -dx; returns its weighted norm as weighted_rms does.
double negated_norm(Vec& dx, const double* weights) {
  const Index n = dx.size();
  double* d = dx.data();
  double sum = 0;
  for (Index i = 0; i < n; ++i) {
    d[i] = -d[i];
    const double scaled = d[i] * weights[i];
    sum += scaled * scaled;
  }
  return n == 0 ? 0.0 : std::sqrt(sum / static_cast<double>(n));
}

// x += dx; returns the weighted norm of x as weighted_rms does.
double add_correction(Out x, const Vec& dx, const double* weights) {
  const Index n = dx.size();
  const double* d = dx.data();
  double* to = x.data();
  double sum = 0;
  for (Index i = 0; i < n; ++i) {
    to[i] += d[i];
    const double scaled = to[i] * weights[i];
    sum += scaled * scaled;
  }
  return n == 0 ? 0.0 : std::sqrt(sum / static_cast<double>(n));
}

constexpr double share_above_rounding = 100;

// The error that is left after a correction, from the contraction since the one before. Where corrections converge
// quadratically, the next one is about norm (norm/previous)^2.
double estimated_error(double norm, double previous, bool quadratic) {
  const double rate = norm / previous;
  if (!(rate < 1)) return std::numeric_limits<double>::infinity();
  return (quadratic ? rate * rate : rate) / (1 - rate) * norm;
}
}  // namespace

bool Newton::iterate(NonlinearSystem& system, Out x, In weights, bool reuse, NewtonStats& stats) {
  double previous = 0;  // |dx| of the last unlimited iteration; 0: none to compare with
  int bad_rates = 0, stalls = 0;
  stats.rate = 0;
  const Eigen::Ref<const Vec> here = x, found = r_;  // as arguments; for small systems making them anew takes time
  for (int k = 0; k < options_.max_iterations; ++k) {
    ++stats.iterations;
    system.residual(here, r_);
    const bool renews = !reuse && (k == 0 || (options_.jacobian_every > 0 && k % options_.jacobian_every == 0));
    // Elsewhere a residual that is not finite shows in the correction.
    if ((k == 0 || renews) && !all_finite(r_)) {
      stats.non_finite = true;
      return false;
    }
    if (renews) {
      ++stats.factorisations;
      if (!system.prepare(here)) {
        stats.singular = true;
        return false;
      }
    }
    system.correct(found, dx_);
    const double wanted = negated_norm(dx_, weights.data());
    if (!std::isfinite(wanted)) {
      stats.non_finite = true;
      return false;
    }
    const double norm = system.limit(here, dx_) ? weighted_rms(dx_, weights) : wanted;
    const double size = add_correction(x, dx_, weights.data());
    if (norm != wanted) {  // a shortened step says nothing about convergence
      previous = 0;
      bad_rates = 0;
      continue;
    }

    // If no rate is known yet, or the correction is so small that the rate does not matter, its size alone decides.
    // Otherwise a small correction is not enough: an iteration that hardly contracts may be far from the solution.
    const bool quadratic = options_.exact_jacobian && renews;
    const bool is_near = previous > 0 && estimated_error(norm, previous, quadratic) <= options_.tolerance;
    // The rate says nothing where corrections that small consist of rounding.
    const bool rate_counts = previous > 0 && options_.tolerance > share_above_rounding * options_.rounding;
    stats.converged = norm <= (previous > 0 ? 1e-3 : 0.1) * options_.tolerance ||
                      (!options_.predict && norm <= options_.tolerance && (is_near || !rate_counts)) ||
                      norm <= 4 * std::numeric_limits<double>::epsilon() * size ||
                      (k == 0 && renews && system.next_correction(dx_, weights) <= options_.tolerance);
    if (previous > 0) {
      const double rate = norm / previous;
      stats.rate = rate;
      // Rounding may alternate between a smaller and a larger correction: such stalls need not follow each other.
      if (norm > options_.rounding) stalls = 0;
      if (rate > 0.5 && norm <= options_.rounding) ++stalls;
      stats.converged = stats.converged || (options_.predict && is_near) || (stalls > 0 && stalls >= options_.stalls);
      if (!stats.converged) {
        if (reuse && rate > slow_rate) return false;
        bad_rates = rate > options_.max_rate ? bad_rates + 1 : 0;
        if (bad_rates == 2) return false;
      }
    }
    if (stats.converged) return true;
    previous = norm;
  }
  return false;
}
}  // namespace trill
