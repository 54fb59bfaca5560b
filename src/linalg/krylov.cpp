// SPDX-License-Identifier: BSD-3-Clause
#include "linalg/krylov.hpp"

#include "trill/linalg/kernels.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <string>

namespace trill {
namespace {
constexpr double epsilon = std::numeric_limits<double>::epsilon();
}  // namespace

Gmres::Gmres(Index size, int restart) {
  if (size < 0 || restart < 1) throw std::invalid_argument("gmres: needs a size >= 0 and a restart length >= 1");
  const Index m = std::min<Index>(restart, std::max<Index>(size, 1));
  basis_ = Mat::Zero(size, m + 1);
  h_ = Mat::Zero(m + 1, m);
  cosine_ = Vec::Zero(m);
  sine_ = Vec::Zero(m);
  rhs_ = Vec::Zero(m + 1);
  coefficients_ = Vec::Zero(m);
  sum_ = Vec::Zero(size);
  preconditioned_ = Vec::Zero(size);
}

GmresResult Gmres::solve(LinearOperator& a, In b, Out x, const GmresOptions& options, LinearOperator* preconditioner) {
  if (a.size() != basis_.rows() || b.size() != basis_.rows() || x.size() != basis_.rows() ||
      (preconditioner != nullptr && preconditioner->size() != basis_.rows()))
    throw std::invalid_argument("gmres: it was made for " + std::to_string(basis_.rows()) +
                                " unknowns and was called with another number");
  GmresResult result;
  if (!all_finite(b) || !all_finite(x)) {
    result.non_finite = true;
    return result;
  }
  const double norm_b = b.norm();
  if (norm_b == 0) {
    x.setZero();
    result.converged = true;
    return result;
  }
  const double target = std::max(options.relative_tolerance * norm_b, options.absolute_tolerance);
  result.residual = compute_residual(a, b, x);
  while (true) {
    result.non_finite = !std::isfinite(result.residual);
    result.converged = result.residual <= target;
    if (result.non_finite || result.converged || result.iterations >= options.max_iterations) return result;

    rhs_.setZero();
    rhs_[0] = result.residual;
    basis_.col(0) /= result.residual;
    int columns = 0;
    const Cycle cycle = run_cycle(a, preconditioner, target, options.max_iterations - result.iterations, columns);
    result.iterations += columns;
    if (cycle == Cycle::non_finite) {
      result.non_finite = true;
      return result;
    }
    sum_ = x;
    correct(preconditioner, columns, x);
    const double before = result.residual;
    result.residual = compute_residual(a, b, x);
    if (!(result.residual < before) && result.residual > target) {
      // A restart would repeat the same cycle, and the previous iterate is at least as good.
      result.non_finite = !std::isfinite(result.residual);
      result.residual = before;
      x = sum_;
      return result;
    }
  }
}

Gmres::Cycle Gmres::run_cycle(LinearOperator& a, LinearOperator* preconditioner, double target, int budget,
                              int& columns) {
  const int m = static_cast<int>(std::min<Index>(h_.cols(), budget));
  for (int j = 0; j < m; ++j) {
    if (preconditioner != nullptr) {
      preconditioner->apply(basis_.col(j), preconditioned_);
      a.apply(preconditioned_, basis_.col(j + 1));
    } else {
      a.apply(basis_.col(j), basis_.col(j + 1));
    }
    if (!all_finite(basis_.col(j + 1))) return Cycle::non_finite;
    const double before = basis_.col(j + 1).norm();
    const double after = orthogonalise(j);
    // happy breakdown: the Krylov space is invariant and contains the solution, unless A is singular on it
    const bool invariant = after <= 10 * epsilon * before;
    h_(j + 1, j) = invariant ? 0.0 : after;
    if (!invariant) basis_.col(j + 1) /= after;
    if (!rotate(j)) return Cycle::stopped;
    columns = j + 1;
    if (invariant || std::abs(rhs_[j + 1]) <= target) return Cycle::finished;
  }
  return Cycle::finished;
}

double Gmres::orthogonalise(int j) {
  auto w = basis_.col(j + 1);
  h_.col(j).setZero();
  double before = w.norm();
  for (int pass = 0; pass < 2; ++pass) {
    for (int i = 0; i <= j; ++i) {
      const double part = basis_.col(i).dot(w);
      h_(i, j) += part;
      w -= part * basis_.col(i);
    }
    const double after = w.norm();
    if (after > 0.7 * before) return after;  // little cancelled, so one pass was enough
    before = after;
  }
  return before;
}

bool Gmres::rotate(int j) {
  for (int i = 0; i < j; ++i) {
    const double upper = h_(i, j), lower = h_(i + 1, j);
    h_(i, j) = cosine_[i] * upper + sine_[i] * lower;
    h_(i + 1, j) = -sine_[i] * upper + cosine_[i] * lower;
  }
  const double length = std::hypot(h_(j, j), h_(j + 1, j));
  if (length <= 10 * epsilon * h_.col(j).head(j + 1).norm() || length == 0) return false;
  cosine_[j] = h_(j, j) / length;
  sine_[j] = h_(j + 1, j) / length;
  h_(j, j) = length;
  h_(j + 1, j) = 0;
  rhs_[j + 1] = -sine_[j] * rhs_[j];
  rhs_[j] *= cosine_[j];
  return true;
}

void Gmres::correct(LinearOperator* preconditioner, int columns, Out x) {
  for (int i = columns - 1; i >= 0; --i) {
    double value = rhs_[i];
    for (int k = i + 1; k < columns; ++k) value -= h_(i, k) * coefficients_[k];
    coefficients_[i] = value / h_(i, i);
  }
  preconditioned_.setZero();
  for (int i = 0; i < columns; ++i) preconditioned_ += coefficients_[i] * basis_.col(i);
  if (preconditioner != nullptr) {
    preconditioner->apply(preconditioned_, basis_.col(0));
    x += basis_.col(0);
  } else {
    x += preconditioned_;
  }
}

double Gmres::compute_residual(LinearOperator& a, In b, In x) {
  a.apply(x, basis_.col(0));
  basis_.col(0) = b - basis_.col(0);
  return basis_.col(0).norm();
}
}  // namespace trill
