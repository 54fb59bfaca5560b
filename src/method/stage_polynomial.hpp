// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "trill/base/types.hpp"

namespace trill {
// Weights of the values at `nodes` in the value of the interpolating polynomial at x.
inline void lagrange_weights(In nodes, double x, Out weights) {
  for (Index j = 0; j < nodes.size(); ++j) {
    double above = 1, below = 1;
    for (Index k = 0; k < nodes.size(); ++k) {
      if (k == j) continue;
      above *= x - nodes[k];
      below *= nodes[j] - nodes[k];
    }
    weights[j] = above / below;
  }
}
}  // namespace trill
