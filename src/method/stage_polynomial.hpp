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

// The same for the derivative of that polynomial.
inline Vec lagrange_slopes(In nodes, double x) {
  Vec slopes = Vec::Zero(nodes.size());
  for (Index j = 0; j < nodes.size(); ++j)
    for (Index left_out = 0; left_out < nodes.size(); ++left_out) {
      if (left_out == j) continue;
      double product = 1 / (nodes[j] - nodes[left_out]);
      for (Index k = 0; k < nodes.size(); ++k)
        if (k != j && k != left_out) product *= (x - nodes[k]) / (nodes[j] - nodes[k]);
      slopes[j] += product;
    }
  return slopes;
}
}  // namespace trill
