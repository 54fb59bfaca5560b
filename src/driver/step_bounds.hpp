// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "problem/time_marks.hpp"

#include <cmath>

namespace trill {
// Times that differ by no more are one time.
inline double rounding_of_time(double t) { return 8 * std::numeric_limits<double>::epsilon() * std::abs(t); }

// The time marks of a problem, as a run in one direction meets them.
class StepBounds {
 public:
  StepBounds() = default;
  StepBounds(std::vector<TimeMark> ascending, double direction) : marks_(std::move(ascending)), direction_(direction) {}
  // Where a step that begins at t has to end at the latest: at the next mark, or by the bound; at `stop` in any case.
  double limit(double t, double stop) const;

 private:
  std::size_t behind(double t) const;  // number of the first mark later than t

  std::vector<TimeMark> marks_;
  double direction_ = 1;
};
}  // namespace trill
