// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "trill/base/archive.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace trill {
// Detects events that change the state at ever shorter intervals, so that time no longer advances (a ball at rest).
class EventCrowding {
 public:
  void passed(double h) { largest_step_ = std::max(largest_step_, std::abs(h)); }
  // true: there have been too many, including this one.
  bool adds(std::int64_t event, bool restarts, double t) {
    const double interval = std::abs(t - last_);
    const bool again = restarts && event == source_;
    crowded_ = interval < much_less * largest_step_ && (again || interval < 0.9 * interval_) ? crowded_ + 1 : 0;
    source_ = event;
    last_ = t;
    interval_ = interval;
    return crowded_ >= too_many;
  }

  void memory(Archive& archive) { archive(last_, interval_, crowded_, source_, largest_step_); }

 private:
  static constexpr double much_less = 1e-6;
  static constexpr int too_many = 5;
  double last_ = -HUGE_VAL, interval_ = HUGE_VAL, largest_step_ = 0;
  std::int64_t source_ = -1;
  int crowded_ = 0;
};
}  // namespace trill
