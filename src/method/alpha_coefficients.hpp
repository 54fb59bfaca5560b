// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cmath>

namespace trill {
// (1 - alpha_m) a1 + alpha_m a0 = (1 - alpha_f) phi1 + alpha_f phi0, phi the true acceleration,
// q1 = q0 + h v0 + h^2 ((1/2 - beta) a0 + beta a1),   v1 = v0 + h ((1 - gamma) a0 + gamma a1)
// a belongs to t + (alpha_m - alpha_f) h. YPR98 eq. 3.1; Chung and Hulbert 1993.
struct AlphaCoefficients {
  double alpha_m = 0, alpha_f = 0, beta = 0.25, gamma = 0.5;
  int order() const { return std::abs(gamma - 0.5 + alpha_m - alpha_f) < 1e-12 ? 2 : 1; }
  // In this case a is the true acceleration, and nothing but q and v is carried from step to step.
  bool is_trapezoidal() const { return alpha_m == alpha_f && beta == 0.25 && gamma == 0.5; }
  // The constant c in the local error c h^3 q''' of positions.
  double error_constant() const { return 1.0 / 6 - beta - (alpha_m - alpha_f) / 2; }
};

// The second-order member of the family with these weights.
constexpr AlphaCoefficients second_order_alpha(double alpha_m, double alpha_f) {
  const double s = 1 - alpha_m + alpha_f;
  return {alpha_m, alpha_f, s * s / 4, 0.5 - alpha_m + alpha_f};
}
constexpr AlphaCoefficients hht_coefficients(double alpha) { return second_order_alpha(0, -alpha); }
constexpr AlphaCoefficients wbz_coefficients(double rho) { return second_order_alpha((rho - 1) / (rho + 1), 0); }
constexpr AlphaCoefficients generalized_alpha_coefficients(double rho) {
  return second_order_alpha((2 * rho - 1) / (rho + 1), rho / (rho + 1));
}
}  // namespace trill
