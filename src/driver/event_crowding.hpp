// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "trill/base/archive.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace trill {
// Detects a motion that is held where a formula switches, and events without number at one and the same time.
class EventCrowding {
 public:
  void passed(double h) { largest_step_ = std::max(largest_step_, std::abs(h)); }
  double largest_step() const { return largest_step_; }
  // true: there have been too many, including this one.
  bool adds(std::int64_t event, bool restarts, double t) {
    const double interval = std::abs(t - last_);
    const bool closer = event == source_ || interval < 0.9 * interval_;
    crowded_ = restarts && interval < much_less * largest_step_ && closer ? crowded_ + 1 : 0;
    at_once_ = interval <= next_to_nothing * std::abs(t) ? at_once_ + 1 : 0;
    ++serial_;
    source_ = event;
    last_ = t;
    interval_ = interval;
    return crowded_ >= too_many || at_once_ >= too_many_at_once;
  }
  // The time no longer changes from event to event.
  bool stands_still() const { return at_once_ >= too_many; }
  std::int64_t source() const { return source_; }
  std::int64_t serial() const { return serial_; }  // of the last event

  void memory(Archive& archive) { archive(last_, interval_, crowded_, at_once_, source_, serial_, largest_step_); }

 private:
  static constexpr double much_less = 1e-6, next_to_nothing = 2e-13;
  static constexpr int too_many = 5, too_many_at_once = 1000;
  double last_ = -HUGE_VAL, interval_ = HUGE_VAL, largest_step_ = 0;
  std::int64_t source_ = -1, serial_ = 0;
  int crowded_ = 0, at_once_ = 0;
};
}  // namespace trill
