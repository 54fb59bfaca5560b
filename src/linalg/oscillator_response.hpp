// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "trill/base/types.hpp"

#include <array>

namespace trill {
// Forces are polynomials of at most this degree.
inline constexpr int most_force_degree = 7;

// The exact motion of x'' + damping x' + lambda x = p(t) over a time h, for lambda >= 0 and damping >= 0, however large
// they are. With g_0 the response to an impulse and g_k its k-fold integral,
//
//   x(h) = (g_0' + damping g_0) x(0) + g_0 x'(0) + sum over k of p^(k)(0) g_{k+1}(h),
//
// and g_k' = g_{k-1}, so that one list serves positions and velocities.
class OscillatorResponse {
 public:
  void compute(double lambda, double damping, double h);

  double from_position() const { return at(-1) + damping_ * at(0); }
  double from_velocity() const { return at(0); }
  double velocity_from_position() const { return -lambda_ * at(0); }
  double velocity_from_velocity() const { return at(-1); }
  double from_force(int k) const { return at(k + 1); }  // k-th derivative of p at 0
  double velocity_from_force(int k) const { return at(k); }

 private:
  static constexpr int last = most_force_degree + 1;
  double at(int k) const { return g_[static_cast<std::size_t>(k + 1)]; }
  double& at(int k) { return g_[static_cast<std::size_t>(k + 1)]; }
  void by_series(double h);
  void by_decay(double h);
  void by_recurrence(double h);
  void impulse_response(double h);

  double lambda_ = 0, damping_ = 0;
  std::array<double, last + 2> g_{};  // g_{-1} to g_last
};

// exp(a) by scaling and squaring (Eigen).
Mat matrix_exponential(const Mat& a);
}  // namespace trill
