// SPDX-License-Identifier: BSD-3-Clause
// What the analysis of coefficients and that of steps share.
#pragma once

#include "trill/analysis/stability.hpp"

#include <functional>

namespace trill {
// Where stability may begin or end.
struct CriticalPoint {
  Extended mu = 0;                 // ends of windows may agree in double precision
  bool pole = false;               // M is infinite
  bool double_eigenvalue = false;  // on the unit circle
  bool identity = false;           // M = I or -I
};

StabilityRow stability_row(const StepMatrix& m, double mu);

using MatrixAt = std::function<StepMatrix(double mu)>;
std::vector<StabilityRow> stability_rows(const MatrixAt& matrix, double mu_max);

// The gaps between the points where `stable` holds, joined over points that belong to the interval. The points are
// sorted.
using StableAt = std::function<bool(Extended mu)>;
std::vector<StabilityWindow> closed_windows(const std::vector<CriticalPoint>& points, const StableAt& stable);
std::vector<StabilityWindow> open_windows(const std::vector<CriticalPoint>& points, const StableAt& stable);

// Ends, flags and touching points from the windows.
void conclude(StabilityReport& report, const std::vector<CriticalPoint>& points);
}  // namespace trill
