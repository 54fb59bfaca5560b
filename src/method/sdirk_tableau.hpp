// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "trill/base/types.hpp"

namespace trill {
// Singly diagonally implicit and stiffly accurate: the last row of a is b, so R(infinity) = 0 for every gamma.
struct SdirkTableau {
  int stages = 0, order = 0;
  double gamma = 0;
  Mat a;
  Vec c;      // nodes of the stages
  Vec start;  // weights of the slope at the start of the step in the stages; empty: none
  Vec error;  // weights of h f at the start of the step and at the stages: O(h^stages)
};

struct GammaRange {
  double min, max;
};

// The gammas for which R(z) = P(z)/(1 - gamma z)^s, which agrees with exp to order s - 1, is L-stable; s = 2, 3, 4.
GammaRange l_stable_gammas(int stages);
double most_accurate_gamma(int stages);  // R agrees with exp to order s
SdirkTableau make_sdirk_tableau(int stages, double gamma);
// The same R, and thereby the same order and damping on free systems, with stages of order 2 that begin with the slope
// at the start of the step. With constraints the order is limited by that of the stages plus 1 (E. Hairer, Ch. Lubich,
// M. Roche, Lecture Notes in Mathematics 1409, 1989); stages without that slope have order 1 only.
SdirkTableau make_constrained_sdirk_tableau(int stages, double gamma);
}  // namespace trill
