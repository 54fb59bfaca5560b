// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "multiscale/averaged_force.hpp"

#include <string>

namespace trill {
inline constexpr double least_gap = 30;  // fast over slow rate

// The values from which the averaging windows are chosen.
struct WindowNeeds {
  double slowest = 0, fastest = 0;  // fast frequencies
  double nearest = 0;               // smallest distance between two of them; 0: they need not be separated
  double rate = 0;                  // rate of the slow motion
  bool constant = false;            // the frequencies do not change
};

// Micro-steps at 0.9 of Verlet's limit, and weights that let no more than 0.02 rate^2 / Omega^2 of an oscillation pass:
// more would make the slow motion unstable or stiff. Frequencies may change by window_slack() before a new choice is
// needed. UsageError if such a window is longer than the slow motion allows.
WindowPlan choose_windows(const WindowNeeds& needs);
double window_slack(bool constant);
WindowPlan rough_windows(const WindowNeeds& needs);  // for a first mean, from the frequencies alone

// Six steps per nominal period, ten periods on each side (SAT09 sec. 4).
WindowPlan published_windows(double omega);

// Empty, or the reason why fast and slow motion are not well separated.
std::string gap_complaint(const WindowNeeds& needs);
}  // namespace trill
