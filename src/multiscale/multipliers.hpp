// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "multiscale/cycle_matrix.hpp"
#include "multiscale/fast_oscillations.hpp"

#include <complex>
#include <string>

namespace trill {
// Floquet multipliers of a periodic motion: the eigenvalues of the derivative of its cycle, descending by size.
using Multipliers = std::vector<std::complex<double>>;

Multipliers all_multipliers(const Mat& derivative);
// The largest ones by Arnoldi's iteration, which needs products alone; only those that it has found accurately.
// directions: the orthonormal basis in which they were found.
Multipliers largest_multipliers(Index size, const Product& product, Index wanted, Mat& directions);

// How much larger than the largest of them a multiplier may be, as two computations differ in their sizes. The second
// one is the more accurate one.
double error_of_largest(Multipliers rough, Multipliers better, bool has_clock);

// One sentence: whether small disturbances die out, and how many cycles that takes. A motion without a clock has one
// multiplier 1, since it may be shifted in time; this one is left out.
struct Stability {
  bool is_stable = false;
  bool is_decided = false;         // false: not known, because the multipliers are not accurate enough
  double largest = 0;              // size of the largest multiplier that decides
  std::complex<double> trivial{};  // for a motion without a clock: should be 1
  double cycles_to_settle = 0;     // until a disturbance has decayed to 1e-6; infinite if it does not
  std::string text;
};
// error: of the size of the largest multiplier. Steps of integration damp: a verdict that the error does not support is
// not given. fast: what the steps do not resolve.
Stability judge_stability(Multipliers multipliers, bool has_clock, double error = 0, const FastOscillation& fast = {});
}  // namespace trill
