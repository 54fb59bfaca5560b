// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "multiscale/averaged_force.hpp"

#include <string>

namespace trill {
// What the windows of means are chosen from.
struct WindowNeeds {
  double slowest = 0, fastest = 0;  // fast frequencies
  double nearest = 0;               // smallest distance of two of them; 0: need not be kept apart
  double rate = 0;                  // of the slow motion
  bool constant = false;            // the frequencies stay as they are
};

// Micro-steps at 0.9 of Verlet's limit, and weights that let no more than 0.02 rate^2 / Omega^2 of an oscillation pass:
// more would make the slow motion unstable or stiff. Frequencies may move by window_slack() until a new choice is due.
// UsageError where such a window is longer than the slow motion allows.
WindowPlan choose_windows(const WindowNeeds& needs);
double window_slack(bool constant);
WindowPlan rough_windows(const WindowNeeds& needs);  // for a first mean, from the frequencies alone

// Six steps in a nominal period, ten periods to either side (SAT09 sec. 4).
WindowPlan published_windows(double omega);

// Empty, or why fast and slow motion are not apart.
std::string gap_complaint(const WindowNeeds& needs);
}  // namespace trill
