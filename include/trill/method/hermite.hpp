// SPDX-License-Identifier: BSD-3-Clause
// For authors of methods: interpolation inside a step from values and derivatives at both ends.
#pragma once

#include "trill/base/types.hpp"

namespace trill {
// Cubic through (y0, d0) at theta = 0 and (y1, d1) at theta = 1; d = dy/dt, h the length of the step.
inline void hermite(double theta, double h, In y0, In d0, In y1, In d1, Out y) {
  const double s = 1 - theta;
  const double w0 = s * s * (1 + 2 * theta), w1 = theta * theta * (3 - 2 * theta);
  const double u0 = h * theta * s * s, u1 = -h * theta * theta * s;
  for (Index i = 0; i < y.size(); ++i) y[i] = w0 * y0[i] + w1 * y1[i] + u0 * d0[i] + u1 * d1[i];
}

// Its derivative in time.
inline void hermite_slope(double theta, double h, In y0, In d0, In y1, In d1, Out d) {
  const double s = 1 - theta;
  const double w = 6 * theta * s / h, u0 = s * (1 - 3 * theta), u1 = theta * (3 * theta - 2);
  for (Index i = 0; i < d.size(); ++i) d[i] = w * (y1[i] - y0[i]) + u0 * d0[i] + u1 * d1[i];
}

// Quintic through value, first and second derivative at both ends.
inline void hermite5(double theta, double h, In y0, In d0, In a0, In y1, In d1, In a1, Out y) {
  const double x = theta, s = 1 - theta;
  const double x3 = x * x * x, s3 = s * s * s;
  const double w0 = s3 * (1 + 3 * x + 6 * x * x), w1 = x3 * (1 + 3 * s + 6 * s * s);
  const double u0 = h * x * s3 * (1 + 3 * x), u1 = -h * s * x3 * (1 + 3 * s);
  const double c0 = 0.5 * h * h * x * x * s3, c1 = 0.5 * h * h * s * s * x3;
  for (Index i = 0; i < y.size(); ++i)
    y[i] = w0 * y0[i] + w1 * y1[i] + u0 * d0[i] + u1 * d1[i] + c0 * a0[i] + c1 * a1[i];
}

// Its derivative in time.
inline void hermite5_slope(double theta, double h, In y0, In d0, In a0, In y1, In d1, In a1, Out d) {
  const double x = theta, s = 1 - theta;
  const double w = 30 * x * x * s * s / h;
  const double u0 = s * s * (1 + x * (2 - 15 * x)), u1 = x * x * (1 + s * (2 - 15 * s));
  const double c0 = 0.5 * h * x * s * s * (2 - 5 * x), c1 = -0.5 * h * s * x * x * (2 - 5 * s);
  for (Index i = 0; i < d.size(); ++i) d[i] = w * (y1[i] - y0[i]) + u0 * d0[i] + u1 * d1[i] + c0 * a0[i] + c1 * a1[i];
}
}  // namespace trill
