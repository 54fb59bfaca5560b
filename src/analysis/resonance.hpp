// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "trill/method/linear_form.hpp"

#include <vector>

namespace trill {
// Everything here is for the linear test q'' = -omega^2 q - eps q, with theta = h omega and square = h^2 eps.

// By how much |half the trace| of a step exceeds 1, computed without cancellation; positive: unstable.
double excess_trace(const SplitForm& form, double theta, double square);

struct UnstableInterval {
  double from = 0, to = 0;  // range of theta
  double growth = 0;        // largest |eigenvalue| - 1 in the interval
};
// Intervals up to `to`. For eps < 0 they begin at omega^2 = -eps: below, the motion itself is unstable.
std::vector<UnstableInterval> unstable_intervals(const SplitForm& form, double square, double to);

struct ResonanceRow {
  double theta = 0, average = 0, mollify = 0;
  double exchange() const { return average * mollify; }  // speed at which fast modes exchange energy
};
std::vector<ResonanceRow> resonance_rows(const SplitForm& form, double step, double to);
}  // namespace trill
