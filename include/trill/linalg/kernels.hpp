// SPDX-License-Identifier: BSD-3-Clause
// For authors of methods: loops over vectors and products with matrices that do not allocate.
#pragma once

#include "trill/base/types.hpp"

#include <algorithm>
#include <cmath>
#include <type_traits>

// Plain loops over contiguous vectors, for explicit methods and norms. They are inline because at a handful of
// unknowns a call costs as much as the loop.
namespace trill {
// Copies numbers that were written one by one a moment ago. A vector load of several such numbers would stall until all
// of them have left the store buffer, so the empty asm statement keeps the compiler from vectorising the loop.
inline void copy_one_by_one(const double* from, Index count, double* to) {
  for (Index i = 0; i < count; ++i) {
    to[i] = from[i];
    __asm__ volatile("");
  }
}

// Calls use(n), with n as a compile-time constant if it is 1, 2 or 3, so that loops over n are unrolled.
template <class Use>
[[gnu::always_inline]] inline auto with_small(Index n, Use use) {
  if (n == 1) return use(std::integral_constant<Index, 1>());
  if (n == 2) return use(std::integral_constant<Index, 2>());
  if (n == 3) return use(std::integral_constant<Index, 3>());
  return use(n);
}

// Vectors of at least this length use Eigen's vector instructions. For shorter ones an inline loop is cheaper than the
// call.
inline constexpr Index short_vector = 8;

[[gnu::noinline]] inline void add_scaled_long(double* y, double h, const double* x, Index n) {
  Eigen::Map<Vec>(y, n) += h * Eigen::Map<const Vec>(x, n);
}

[[gnu::always_inline]] inline void add_scaled(double* y, double h, const double* x, Index n) {
  if (n >= short_vector) return add_scaled_long(y, h, x, n);
  for (Index i = 0; i < n; ++i) y[i] += h * x[i];
}

// The same, but returns false if an entry of the result is not finite. 0 * y is 0 for finite y and NaN otherwise, so
// one sum of these answers the question without a branch per entry. There are eight partial sums because a single chain
// of additions would be limited by their latency.
[[gnu::noinline]] inline bool add_scaled_checked_long(double* y, double h, const double* x, Index n) {
  using Eight = Eigen::Array<double, 8, 1>;
  Eight sums = Eight::Zero();
  Index i = 0;
  for (; i + 8 <= n; i += 8) {
    Eigen::Map<Eight> block(y + i);
    const Eight moved = block + h * Eigen::Map<const Eight>(x + i);
    block = moved;
    sums += 0.0 * moved;
  }
  double sum = sums.sum();
  for (; i < n; ++i) {
    y[i] += h * x[i];
    sum += 0.0 * y[i];
  }
  return sum == 0.0;
}

[[gnu::always_inline]] inline bool add_scaled_checked(double* y, double h, const double* x, Index n) {
  if (n >= short_vector) return add_scaled_checked_long(y, h, x, n);
  double sum = 0;
  for (Index i = 0; i < n; ++i) {
    y[i] += h * x[i];
    sum += 0.0 * y[i];
  }
  return sum == 0.0;
}

// v1 = v0 + half a, q1 = q0 + h v1 in one pass; false if an entry of q1 is not finite.
[[gnu::noinline]] inline bool kick_drift_long(const double* q0, const double* v0, const double* a, double half,
                                              double h, double* q1, double* v1, Index n) {
  using Eight = Eigen::Array<double, 8, 1>;
  using Read = Eigen::Map<const Eight>;
  Eight sums = Eight::Zero();
  Index i = 0;
  for (; i + 8 <= n; i += 8) {
    const Eight v = Read(v0 + i) + half * Read(a + i);
    const Eight q = Read(q0 + i) + h * v;
    Eigen::Map<Eight>(v1 + i) = v;
    Eigen::Map<Eight>(q1 + i) = q;
    sums += 0.0 * q;
  }
  double sum = sums.sum();
  for (; i < n; ++i) {
    v1[i] = v0[i] + half * a[i];
    q1[i] = q0[i] + h * v1[i];
    sum += 0.0 * q1[i];
  }
  return sum == 0.0;
}

[[gnu::always_inline]] inline bool kick_drift(const double* q0, const double* v0, const double* a, double half,
                                              double h, double* q1, double* v1, Index n) {
  if (n >= short_vector) return kick_drift_long(q0, v0, a, half, h, q1, v1, n);
  double sum = 0;
  for (Index i = 0; i < n; ++i) {
    v1[i] = v0[i] + half * a[i];
    q1[i] = q0[i] + h * v1[i];
    sum += 0.0 * q1[i];
  }
  return sum == 0.0;
}

inline void kick(Out v, double h, In a) { add_scaled(v.data(), h, a.data(), v.size()); }   // v += h a
inline void drift(Out q, double h, In v) { add_scaled(q.data(), h, v.data(), q.size()); }  // q += h v

// sqrt(mean((e_i w_i)^2)); 0 for an empty vector
inline double weighted_rms(In e, In w) {
  const Index n = e.size();
  double sum = 0;
  for (Index i = 0; i < n; ++i) {
    const double scaled = e[i] * w[i];
    sum += scaled * scaled;
  }
  return n == 0 ? 0.0 : std::sqrt(sum / static_cast<double>(n));
}

// Ignores NaN entries: call all_finite first where they may occur.
inline double max_abs(In x) {
  double largest = 0;
  for (Index i = 0; i < x.size(); ++i) largest = std::max(largest, std::abs(x[i]));
  return largest;
}

// Uses sums of 0 * x, as add_scaled_checked does.
inline bool all_finite(const double* x, Index n) {
  using Eight = Eigen::Array<double, 8, 1>;
  Index i = 0;
  double sum = 0;
  if (n >= 8) {
    Eight sums = Eight::Zero();
    for (; i + 8 <= n; i += 8) sums += 0.0 * Eigen::Map<const Eight>(x + i);
    sum = sums.sum();
  }
  for (; i < n; ++i) sum += 0.0 * x[i];
  return sum == 0.0;
}
inline bool all_finite(In x) { return all_finite(x.data(), x.size()); }
}  // namespace trill
