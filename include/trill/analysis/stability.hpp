// SPDX-License-Identifier: BSD-3-Clause
// For programs that compare methods: stability and accuracy on the linear oscillator.
#pragma once

#include "trill/method/registry.hpp"

#include <optional>

namespace trill {
using Mat2 = Eigen::Matrix2d;

// The matrix M with (q, v) after the step = M (q, v) before, for one step of size mu = h omega on q'' = -q. Found by
// taking a step from each of the two basis states.
// UsageError for methods that choose their own steps.
Mat2 stability_matrix(const MethodEntry& method, const OptionSet& options, double mu);

struct StabilityRow {
  double mu = 0;
  double radius = 0;        // largest |eigenvalue|
  double damping = 0;       // a of PJY97 sec. 2: |eigenvalue| = exp(-mu a)
  double phase = 0;         // angle of the eigenvalues, continued from 0; the exact one is mu
  bool oscillates = false;  // a complex pair, or a double eigenvalue on the unit circle
};

// A part of the half-axis mu > 0.
struct StabilityWindow {
  double from = 0, to = 0;
  bool has_from = false, has_to = false;  // do the ends belong to it?
};

// A point inside or at an end of a window where both eigenvalues are +1 or both are -1.
struct TouchingPoint {
  double mu = 0;
  bool identity = false;  // M = I or -I; otherwise there is only one eigenvector, and powers of M grow
};

// Periodicity: both |eigenvalues| = 1; absolute stability: both |eigenvalues| <= 1.
struct StabilityWindows {
  std::vector<StabilityWindow> periodicity, absolute;  // sorted by mu
};

// A leading term constant * mu^order. Infinite order: there is none.
struct LeadingTerm {
  double order = 0, constant = 0;
};

struct StabilityReport {
  bool exact = false;              // from the coefficients of the method; otherwise by steps, scan and bisection
  bool has_memory = false;         // steps depend on earlier ones: the eigenvalues are the dominant pair of a long run
  std::vector<StabilityRow> rows;  // up to mu_max
  StabilityWindows closed;         // JP95 Definition 2.2: a touching point belongs to the interval
  StabilityWindows open;           // PJY97 Definition 2.1: it does so only if M = I or -I there
  std::vector<TouchingPoint> touching;
  double periodicity_end = 0;               // upper end of the closed window that begins at 0; 0: there is none
  double absolute_end = 0;                  // the same for absolute stability
  bool p_stable = false, i_stable = false;  // periodicity_end or absolute_end is infinite
  bool strictly_p_stable = false;           // the end of periodicity is infinite by the open definition too
  double radius_at_infinity = 0;
  std::optional<Mat2> at_infinity;  // M for mu -> infinity, if it has a limit
  LeadingTerm dispersion;           // of b - 1, b = phase / mu
  LeadingTerm damping;              // of a
};
StabilityReport analyse_stability(const LinearForm& form, double mu_max = 10);
// By taking steps only; misses windows narrower than 0.05 and windows that begin beyond mu = 60.
StabilityReport analyse_steps(const MethodEntry& method, const OptionSet& options, double mu_max = 10);
// By the linear form if the method has one, else by taking steps.
StabilityReport analyse_stability(const MethodEntry& method, const OptionSet& options, double mu_max = 10);
}  // namespace trill
