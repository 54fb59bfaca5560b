// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cmath>

namespace trill {
// A curve between two neighbouring points of it.
struct CurvePiece {
  double length = 0, rise = 0;  // in time, and of the value
};

// Twice the second divided difference over two neighbouring pieces. 0: one has no length, since the curve jumps there.
inline double curvature(const CurvePiece& a, const CurvePiece& b) {
  if (!(a.length > 0 && b.length > 0)) return 0;
  return 2 * (b.rise / b.length - a.rise / a.length) / (a.length + b.length);
}

// A piece is taken as a parabola, x = line + bend s (1 - s) with s from 0 to 1. It is bent by the mean of the
// curvatures at both ends where these are alike, which is as good as a cubic in the middle; otherwise by the smaller
// one, so that no parabola reaches across a corner or a jump.
inline double bend_between(const CurvePiece& before, const CurvePiece& piece, const CurvePiece& after) {
  const double a = curvature(before, piece), b = curvature(piece, after);
  if (a * b <= 0) return 0;
  const double smaller = std::abs(a) < std::abs(b) ? a : b, mean = (a + b) / 2;
  constexpr double alike = 1.5;  // the mean beside the smaller one
  return -0.5 * piece.length * piece.length * (std::abs(mean) < alike * std::abs(smaller) ? mean : smaller);
}
}  // namespace trill
