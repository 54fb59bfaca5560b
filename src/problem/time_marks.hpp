// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "trill/problem/problem.hpp"

#include <limits>

namespace trill {
// From this time to the next mark a step should not be longer than this, so that nothing the model does in short times
// that are known beforehand, such as a pulse of a force, is stepped over.
struct TimeMark {
  double t = 0;
  double longest_step = std::numeric_limits<double>::infinity();
};

// A problem that knows beforehand when it acts quickly.
class TimeMarked {
 public:
  virtual std::vector<TimeMark> time_marks(double t0, double t1) const = 0;  // ascending; t0 < t1
  // The marks limit every step, so that methods need not look for periods of the problem themselves.
  virtual bool limits_every_step() const { return false; }

 protected:
  ~TimeMarked() = default;
};

inline std::vector<TimeMark> time_marks_of(const Problem& problem, double t0, double t1) {
  const auto* marked = dynamic_cast<const TimeMarked*>(&problem);
  return marked ? marked->time_marks(t0, t1) : std::vector<TimeMark>();
}
}  // namespace trill
