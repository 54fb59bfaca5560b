// SPDX-License-Identifier: BSD-3-Clause
#include "driver/step_bounds.hpp"

#include <algorithm>

namespace trill {
// A run backwards that stands on a mark enters the stretch before it.
std::size_t StepBounds::behind(double t) const {
  const auto later = [&](double time, const TimeMark& mark) { return direction_ > 0 ? time < mark.t : time <= mark.t; };
  return static_cast<std::size_t>(std::upper_bound(marks_.begin(), marks_.end(), t, later) - marks_.begin());
}

double StepBounds::limit(double t, double stop) const {
  const std::size_t next = behind(t + direction_ * rounding_of_time(t));
  const auto nearer = [&](double a, double b) { return direction_ > 0 ? std::min(a, b) : std::max(a, b); };
  if (next > 0) stop = nearer(stop, t + direction_ * marks_[next - 1].longest_step);
  const std::size_t ahead = direction_ > 0 ? next : next - 1;
  return ahead < marks_.size() ? nearer(stop, marks_[ahead].t) : stop;
}
}  // namespace trill
