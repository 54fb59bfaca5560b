// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

namespace trill {
// An axis with its marks. lo < hi always; major ticks are 2 to 12, ascending, inside [lo, hi], and leave at either end
// less than one tick distance free (log: less than half the axis). A tick label may hold a raised part as ^{...}.
struct AxisTicks {
  double lo = 0, hi = 1;
  bool log = false;
  std::vector<double> major, minor;
  std::vector<std::string> labels;      // one for each major tick
  std::string factor;                   // common factor of the labels, e.g. "10^{-6}"; empty: 1
  std::string offset;                   // what was subtracted before labelling, e.g. "1.25"; empty: 0
  double position(double value) const;  // 0 at lo, 1 at hi
};

// Steps of 1, 2 or 5 times a power of ten, at most about `about` of them. Equal or disordered ends are widened.
AxisTicks linear_axis(double lo, double hi, int about = 7);

// Decades with minor ticks between; below one decade 1-2-5 steps or linear ones. Needs lo > 0 (otherwise a small lo is
// assumed).
AxisTicks log_axis(double lo, double hi, int about = 7);
}  // namespace trill
