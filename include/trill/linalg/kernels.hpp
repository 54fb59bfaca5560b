// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "trill/base/types.hpp"

#include <algorithm>
#include <cmath>

// Plain loops over contiguous vectors, for explicit methods and norms. They are inline because at a handful of
// unknowns a call costs as much as the loop.
namespace trill {
inline void add_scaled(double* y, double h, const double* x, Index n) {
  for (Index i = 0; i < n; ++i) y[i] += h * x[i];
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

// NaN entries are passed over: ask all_finite first where they may occur.
inline double max_abs(In x) {
  double largest = 0;
  for (Index i = 0; i < x.size(); ++i) largest = std::max(largest, std::abs(x[i]));
  return largest;
}

// 0 * x is 0 for finite x and NaN otherwise, so one sum decides without a branch per entry.
inline bool all_finite(const double* x, Index n) {
  double sum = 0;
  for (Index i = 0; i < n; ++i) sum += 0.0 * x[i];
  return sum == 0.0;
}
inline bool all_finite(In x) { return all_finite(x.data(), x.size()); }
}  // namespace trill
