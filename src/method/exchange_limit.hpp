// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "trill/base/notes.hpp"
#include "trill/problem/mechanical.hpp"

#include <algorithm>
#include <cmath>

namespace trill {
// The implicit midpoint rule and its relatives take steps far beyond the period of stiff gaps, but they keep the energy
// of that oscillation only up to h = 0.3 sqrt(eps), where eps is the ratio of the slow to the fast frequency: U. M.
// Ascher, S. Reich, SIAM J. Sci. Comput. 21 (1999) 1045-1065. A run with longer steps is warned.
class ExchangeLimit {
 public:
  void start(const MechanicalProblem& problem, const State& s);
  void took(double h) { longest_ = std::max(longest_, std::abs(h)); }
  void conclude(double t, Notes& notes) const;

 private:
  double most_ = 0, share_ = 0;  // longest good step, and the share of the energy that oscillates; 0: no limit
  double longest_ = 0;           // of the run
};
}  // namespace trill
