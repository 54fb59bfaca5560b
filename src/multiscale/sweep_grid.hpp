// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "multiscale/weight.hpp"

#include <span>

namespace trill {
// The inner sub-steps of a sweep and the weight of each position along it, in units of the step h. Every end of a piece
// of a weight is a grid point: with widths 1 and 2 inner steps are 1/(2 n).
//
// Averages are part of the splitting: (t, q) move in the drift, (p, b) with b' = phi(t) q in the kick. So they have the
// order of the composition, and with Verlet steps they are sums by the trapezoidal rule.
struct SweepGrid {
  std::vector<double> steps;  // signed: compositions also step backwards
  Mat phi, psi;               // row: grid point, one more than steps; column: pair
  Index phi_points = 0;       // number of grid points needed for an average; at least 1
  Index psi_points = 0;       // the same for a mollified force

  void fill(const std::vector<WeightPair>& pairs, std::span<const double> gamma, int inner_steps);
};
}  // namespace trill
