// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "trill/method/linear_form.hpp"

#include <vector>

namespace trill {
// Of the linear test q'' = -omega^2 q - eps q, with theta = h omega and square = h^2 eps.

// How far |half the trace| of a step is above 1, without cancellation; positive: unstable.
double excess_trace(const SplitForm& form, double theta, double square);

struct UnstableInterval {
  double from = 0, to = 0;  // in theta
  double growth = 0;        // largest |eigenvalue| - 1 in it
};
// Up to `to`. For eps < 0 from omega^2 = -eps on: below, the motion itself is unstable.
std::vector<UnstableInterval> unstable_intervals(const SplitForm& form, double square, double to);

struct ResonanceRow {
  double theta = 0, average = 0, mollify = 0;
  double exchange() const { return average * mollify; }  // speed of the exchange of energy between fast modes
};
std::vector<ResonanceRow> resonance_rows(const SplitForm& form, double step, double to);
}  // namespace trill
