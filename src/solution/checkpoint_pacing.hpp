// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/pace.hpp"

namespace trill {
// When the next checkpoint is due: `seconds` after the last one, or before that if one more step would make it twice as
// long; but so late that writing takes at most a tenth of the time, and in long runs after a thousandth of the time so
// far, at most a minute, so that a day has some thousands of them. seconds = 0: always, yet never on account of the
// clock alone.
class CheckpointPacing {
 public:
  explicit CheckpointPacing(double seconds, SecondsClock now = steady_seconds)
      : seconds_(seconds), now_(now), looks_(1, {1e-3, 5e-3, 256}, now), last_took_(seconds / 10) {}

  void begin() { began_ = ended_ = looked_ = now_(); }
  bool due() const { return seconds_ <= 0 || due_at(now_()); }
  // To be asked after every step: looks at the clock every few milliseconds, or after every step that takes longer.
  bool due_after_step() {
    if (seconds_ <= 0 || --steps_to_look_ > 0) return false;
    const double now = looks_.look();
    steps_to_look_ = looks_.amount();
    step_ = now - looked_;
    looked_ = now;
    return due_at(now);
  }
  template <class Write>
  void time(const Write& write) {
    const double before = now_();
    write();
    ended_ = looked_ = now_();
    // The shorter one of two: on a busy machine a single one may have waited for others.
    const double took = ended_ - before;
    writing_ = std::min(took, last_took_);
    last_took_ = took;
  }

 private:
  bool due_at(double now) const {
    const double growing = std::min((now - began_) / 1000, 60.0), least = std::max(10 * writing_, growing);
    const double passed = now - ended_;
    return passed >= least && (passed >= seconds_ || passed + longer * step_ + last_took_ > 2 * seconds_);
  }

  static constexpr double longer = 1.5;  // than the last step: what the next one may take
  double seconds_;
  SecondsClock now_;
  Pace looks_;
  std::int64_t steps_to_look_ = 1;
  double began_ = 0, ended_ = 0, writing_ = 0, last_took_;
  double looked_ = 0, step_ = 0;  // the last look at the clock, and the time from the one before it
};
}  // namespace trill
