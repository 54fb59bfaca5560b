// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <span>
#include <string_view>

namespace trill {

/// Coefficients of one explicit Runge-Kutta method, with its error estimate and continuous extension.
///
/// Stage i (0-based) is k_i = f(t + c_i h, y + h sum_{j<i} a_ij k_j). All stages, the extra ones of the continuous
/// extension included, share one square matrix `a`, so one loop serves every method:
///
///  1. evaluate stages 0 .. trial_stages-1 and form y1 = y + h sum b_i k_i;
///  2. error = h sum error_i k_i (and h sum error3_i k_i when error3 is not empty), accept or reject;
///  3. once accepted, evaluate stages trial_stages .. stages-1; with first_same_as_last the last of them is f(t+h, y1)
///     and is the next step's k_0;
///  4. only if the step is to be interpolated, evaluate stages stages .. all_stages()-1.
///
/// Continuous extension: y(t + theta h) = y + h sum_i b_i(theta) k_i over all_stages() stages, with
/// b_i(theta) = sum_m dense[i * dense_degree + m] p_m(theta), m = 0 .. dense_degree-1, in the basis of dense_basis().
/// For repeated evaluation in one step form q_m = sum_i dense_im k_i once; then y(theta) = y + h sum_m p_m(theta) q_m.
///
/// Spans refer to constants with static lifetime; the struct is cheap to copy.
struct ExplicitTableau {
  std::string_view name;
  std::string_view reference;
  int stages;                      ///< stages of a step, including the one reused by the next step
  int trial_stages;                ///< leading stages that y1 and the error estimate need
  int extra_stages;                ///< further stages needed by the continuous extension only
  int order;                       ///< order of y1
  int error_order;                 ///< local error estimate is O(h^(error_order+1)); 0 without an estimate
  bool first_same_as_last;         ///< stage stages-1 is f(t+h, y1)
  int dense_order;                 ///< order of the continuous extension for every theta
  int dense_degree;                ///< its degree in theta
  std::span<const double> a;       ///< row-major, all_stages() x all_stages(), strictly lower triangular
  std::span<const double> b;       ///< size stages
  std::span<const double> c;       ///< size all_stages()
  std::span<const double> error;   ///< size stages, or empty; entries from trial_stages on are zero
  std::span<const double> error3;  ///< second estimator, to be joined with `error` by combined_error(); usually empty
  std::span<const double> dense;   ///< row-major, all_stages() x dense_degree

  [[nodiscard]] constexpr int all_stages() const noexcept { return stages + extra_stages; }

  /// Coefficients a_i0 .. a_i,i-1 of stage i.
  [[nodiscard]] constexpr std::span<const double> row(int i) const noexcept {
    return a.subspan(static_cast<std::size_t>(i) * static_cast<std::size_t>(all_stages()), static_cast<std::size_t>(i));
  }

  /// Basis coefficients of b_i(theta).
  [[nodiscard]] constexpr std::span<const double> dense_row(int i) const noexcept {
    const auto degree = static_cast<std::size_t>(dense_degree);
    return dense.subspan(static_cast<std::size_t>(i) * degree, degree);
  }
};

/// Largest all_stages() and dense_degree of the tableaus below, for fixed-size buffers.
inline constexpr int max_tableau_stages = 16;
inline constexpr int max_dense_degree = 7;

/// Classical Runge-Kutta method of order 4; no error estimate. One extra stage f(t+h, y1) gives the cubic Hermite
/// extension (order 3).
const ExplicitTableau& rk4_tableau() noexcept;

/// Dormand-Prince 5(4), 7 stages with the last one reused; continuous extension of order 4 without extra stages.
const ExplicitTableau& dopri5_tableau() noexcept;

/// Dormand-Prince 8(5,3) in the form of Hairer, Norsett and Wanner: 12 stages and the reused one, two error estimators,
/// and a continuous extension of order 7 with 3 extra stages.
const ExplicitTableau& dop853_tableau() noexcept;

/// Joins the norms of the two estimates of dop853, error^2 / sqrt(error^2 + error3^2 / 100), which behaves as O(h^8).
/// Both norms must be of the same kind; zero if `error` is zero.
double combined_error(double error_norm, double error3_norm) noexcept;

/// Basis of the continuous extensions: theta, theta(1-theta), theta^2(1-theta), theta^2(1-theta)^2, ... up to degree
/// basis.size(). At theta = 0 and 1 it reproduces the ends of the step without rounding, and it avoids the cancellation
/// between large coefficients that powers of theta would bring.
void dense_basis(double theta, std::span<double> basis) noexcept;

/// Derivatives of that basis with respect to theta.
void dense_basis_derivative(double theta, std::span<double> derivative) noexcept;

/// Weights b_i(theta), i = 0 .. all_stages()-1, into `weights` (at least that long).
void dense_weights(const ExplicitTableau& tableau, double theta, std::span<double> weights) noexcept;

/// Weights b_i'(theta): y'(t + theta h) is approximated by sum_i b_i'(theta) k_i.
void dense_derivative_weights(const ExplicitTableau& tableau, double theta, std::span<double> weights) noexcept;

}  // namespace trill
