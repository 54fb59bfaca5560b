// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "multiscale/cycle_matrix.hpp"

#include <complex>
#include <string>

namespace trill {
// Floquet multipliers of a periodic motion: the eigenvalues of the derivative of its cycle, descending by size.
using Multipliers = std::vector<std::complex<double>>;

Multipliers all_multipliers(const Mat& derivative);
// The largest ones by Arnoldi's iteration, which needs products alone; only those that it has found accurately.
Multipliers largest_multipliers(Index size, const Product& product, Index wanted);

// One sentence: whether small disturbances die out, and how many cycles that takes. A motion without a clock has one
// multiplier 1, since it may be shifted in time; this one is left out.
struct Stability {
  bool is_stable = false;
  double largest = 0;              // size of the largest multiplier that decides
  std::complex<double> trivial{};  // for a motion without a clock: should be 1
  double cycles_to_settle = 0;     // until a disturbance has decayed to 1e-6; infinite if it does not
  std::string text;
};
Stability judge_stability(const Multipliers& multipliers, bool has_clock);
}  // namespace trill
