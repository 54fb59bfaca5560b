// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "trill/driver/driver.hpp"

#include <cmath>

namespace trill {
// Knows when the next row is due.
class OutputClock {
 public:
  OutputClock(const Output& output, double t_start, double direction)
      : output_(output), t_start_(t_start), direction_(direction) {
    // The row of the start is recorded without being asked for.
    if (const auto* times = std::get_if<Times>(&output); times && !times->t.empty() && times->t.front() == t_start)
      pass_time();
  }

  bool counts_steps() const { return std::holds_alternative<EveryStep>(output_); }
  double next_time() const {  // infinite: no more rows
    if (const auto* grid = std::get_if<Grid>(&output_))
      return t_start_ + direction_ * static_cast<double>(next_) * std::abs(grid->dt);
    const auto* times = std::get_if<Times>(&output_);
    if (times && next_ <= static_cast<std::int64_t>(times->t.size()))
      return times->t[static_cast<std::size_t>(next_) - 1];
    return direction_ * HUGE_VAL;
  }
  void pass_time() { ++next_; }

  std::int64_t steps_left() const {  // until the next row
    const auto* every = std::get_if<EveryStep>(&output_);
    return every ? every->stride - since_ : std::numeric_limits<std::int64_t>::max();
  }
  void pass_steps(std::int64_t steps) { since_ += steps; }
  void restart_steps() { since_ = 0; }

  void memory(Archive& archive) { archive(next_, since_); }

 private:
  const Output& output_;
  double t_start_, direction_;
  std::int64_t next_ = 1, since_ = 0;
};
}  // namespace trill
