// SPDX-License-Identifier: BSD-3-Clause
// What the analyses by coefficients and by steps have in common.
#pragma once

#include "trill/analysis/stability.hpp"

#include <functional>

namespace trill {
// Where stability may begin or end.
struct CriticalPoint {
  Extended mu = 0;                 // extended precision: ends of windows may agree in double
  bool pole = false;               // M is infinite
  bool double_eigenvalue = false;  // on the unit circle
  bool identity = false;           // M = I or -I
};

StabilityRow stability_row(const StepMatrix& m, double mu);

using MatrixAt = std::function<StepMatrix(double mu)>;
std::vector<StabilityRow> stability_rows(const MatrixAt& matrix, double mu_max);

// The gaps between the sorted points in which `stable` holds, joined across points that belong to the interval.
using StableAt = std::function<bool(Extended mu)>;
std::vector<StabilityWindow> closed_windows(const std::vector<CriticalPoint>& points, const StableAt& stable);
std::vector<StabilityWindow> open_windows(const std::vector<CriticalPoint>& points, const StableAt& stable);

// Fills in ends, flags and touching points from the windows.
void conclude(StabilityReport& report, const std::vector<CriticalPoint>& points);
}  // namespace trill
