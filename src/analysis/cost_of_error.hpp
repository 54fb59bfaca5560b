// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace trill {
// What a method needed, in seconds, and how large its error was then, for several step sizes or tolerances.
struct CostCurve {
  struct Point {
    double error = 0, seconds = 0;
  };
  std::string name;
  std::vector<Point> points;
};

// The time for this error: between two points on a straight line of the logarithms. Nothing where no point is as
// accurate; where all are more accurate, the cheapest of them.
std::optional<double> seconds_for(const CostCurve& curve, double error);

// "To an error of 1e-04 dop853 needs 0.5 ms, the next 0.8 ms (composition8)." for the smallest power of ten that two
// methods reach, or one if no two do. Empty if none reaches any.
std::string cheapest_sentence(const std::vector<CostCurve>& curves);
}  // namespace trill
