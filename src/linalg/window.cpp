// SPDX-License-Identifier: BSD-3-Clause
#include "linalg/window.hpp"

#include <Eigen/LU>

namespace trill {
Vec flat_window(Index half) {
  const Vec x2 = Vec::LinSpaced(2 * half + 1, -1, 1).cwiseAbs2();
  const Vec bump = (1 - x2.array()).pow(8);
  Mat moments(3, 3);
  for (Index i = 0; i < 3; ++i)
    for (Index j = 0; j < 3; ++j) moments(i, j) = (bump.array() * x2.array().pow(i + j)).sum();
  const Vec c = moments.fullPivLu().solve(Vec::Unit(3, 0));
  return bump.array() * (c[0] + x2.array() * (c[1] + x2.array() * c[2]));
}
}  // namespace trill
