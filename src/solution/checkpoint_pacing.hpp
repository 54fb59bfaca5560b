// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/pace.hpp"

namespace trill {
// When the next checkpoint is due: `seconds` after the last one, but so late that writing takes at most a tenth of the
// time, and in long runs after a thousandth of the time so far, at most a minute, so that a day has some thousands of
// them. seconds = 0: always, yet never on account of the clock alone.
class CheckpointPacing {
 public:
  explicit CheckpointPacing(double seconds, SecondsClock now = steady_seconds)
      : seconds_(seconds), now_(now), looks_(1, {1e-3, 5e-3, 256}, now) {}

  void begin() { began_ = ended_ = now_(); }
  bool due() const { return seconds_ <= 0 || due_at(now_()); }
  // To be asked after every step: looks at the clock every few milliseconds, or after every step that takes longer.
  bool due_after_step() {
    if (seconds_ <= 0 || --steps_to_look_ > 0) return false;
    const double now = looks_.look();
    steps_to_look_ = looks_.amount();
    return due_at(now);
  }
  template <class Write>
  void time(const Write& write) {
    const double before = now_();
    write();
    ended_ = now_();
    writing_ = ended_ - before;
  }

 private:
  bool due_at(double now) const {
    const double growing = std::min((now - began_) / 1000, 60.0);
    return now - ended_ >= std::max({seconds_, 10 * writing_, growing});
  }

  double seconds_;
  SecondsClock now_;
  Pace looks_;
  std::int64_t steps_to_look_ = 1;
  double began_ = 0, ended_ = 0, writing_ = 0;
};
}  // namespace trill
