// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "trill/method/registry.hpp"

namespace trill {
using Mat2 = Eigen::Matrix2d;

// (q, v) after one step of size mu = h omega on q'' = -q, as a matrix: found by stepping the basis states.
// UsageError for methods that choose their own steps.
Mat2 stability_matrix(const MethodEntry& method, const OptionSet& options, double mu);

struct StabilityRow {
  double mu = 0;
  double radius = 0;        // largest |eigenvalue|
  double phase = 0;         // angle of the eigenvalues in [0, pi]; the exact one is mu
  bool oscillates = false;  // a complex pair, or a double eigenvalue on the unit circle
};

struct StabilityReport {
  std::vector<StabilityRow> rows;           // over the grid asked for
  double periodicity_end = 0;               // |eigenvalues| = 1 on (0, this); infinite as far as was looked
  double absolute_end = 0;                  // |eigenvalues| <= 1 on (0, this)
  bool p_stable = false, a_stable = false;  // held at every point looked at, up to mu = 1e6
  double radius_at_infinity = 0;            // |eigenvalue| at mu = 1e6
  double dispersion_order = 0;   // slope of log |mu - phase| against log mu, minus 1; the order is its rounding
  double dissipation_order = 0;  // the same of 1 - radius; infinite where nothing is damped
};
StabilityReport analyse_stability(const MethodEntry& method, const OptionSet& options, double mu_max = 10);
}  // namespace trill
