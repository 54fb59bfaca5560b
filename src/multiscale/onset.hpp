// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "multiscale/section.hpp"
#include "trill/base/archive.hpp"
#include "trill/method/error_scale.hpp"

#include <array>

namespace trill {
// Watches a motion step by step for the onset of an oscillation. A cycle ends where the derivative of one component
// changes its sign from - to +; the component is the one that varies most, in tolerances, and another is taken when its
// crossings disappear.
class OnsetWatch {
 public:
  void start(Index size);                           // allocates
  void forget();                                    // what comes next is another motion
  void rest(double until) { rest_until_ = until; }  // no onset is seen before this time

  // A step has ended at t with y and y'. rate_inside(t, y') computes y' inside it and returns false where it cannot.
  // True: a cycle has ended in this step, at crossing().
  template <class RateInside>
  bool look(double t_begin, double t, In y, In rate, const ErrorScale& scale, RateInside&& rate_inside) {
    const Index crossed = pass(y, rate, scale);
    bool found = crossed >= 0 && follow(crossed);
    if (found) {
      const double before = rate_before_[crossed];
      const auto value = [&](double when) { return rate_inside(when, crossing_rate_) ? crossing_rate_[crossed] : 1.0; };
      const double when = rising_zero(value, t_begin, before, t, rate[crossed], crossing_slack * (t - t_begin));
      found = rate_inside(when, crossing_rate_);
      if (found) take(when, scale);
    }
    rate_before_ = rate;
    known_ = true;
    return found;
  }

  // The last three periods agree, the motion was the same at their ends, and the oscillation is no matter of
  // tolerances.
  bool has_onset() const { return agreeing_ >= needed_periods && crossing_ >= rest_until_; }
  double crossing() const { return crossing_; }
  double period() const { return periods_[0]; }
  Index component() const { return component_; }
  const Vec& sizes() const { return largest_; }  // of the components since forget()
  void memory(Archive& archive);

 private:
  static constexpr double crossing_slack = 1e-9;  // of a step
  static constexpr int needed_periods = 3;

  Index pass(In y, In rate, const ErrorScale& scale);
  bool follow(Index component);
  void take(double when, const ErrorScale& scale);
  void begin_with(Index component);

  Index component_ = -1;
  bool known_ = false;  // rate_before_
  int agreeing_ = 0, periods_known_ = 0, crossings_ = 0;
  double crossing_ = 0, rest_until_ = 0;
  std::array<double, needed_periods> periods_{};  // newest first
  Vec rate_before_, crossing_rate_, last_crossing_rate_;
  Vec least_, most_;  // of each component since its derivative last changed sign upwards
  Vec variation_;     // half of their difference in the last such stretch, in tolerances
  Vec missed_;        // crossings of each component since the followed one crossed last
  Vec largest_, weights_;
};
}  // namespace trill
