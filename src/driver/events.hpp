// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "trill/base/archive.hpp"
#include "trill/problem/state.hpp"

#include <functional>
#include <optional>

namespace trill {
struct Event;

// Finds sign changes of event functions inside steps. The interpolant is sampled at a few interior points, so that a
// pair of crossings within one step is seen unless both lie between neighbouring samples.
class EventDetector {
 public:
  using Interpolant = std::function<const State&(double theta)>;  // the user's state inside the last step
  struct Hit {
    std::size_t event;
    double theta;
  };

  explicit EventDetector(const std::vector<Event>& events);
  bool empty() const { return events_.empty(); }
  void start(const State& s);  // takes the signs at the beginning
  // Call both when `event` changes the state. Other events that cross at the same moment are still due. But an event
  // whose value the change itself moves past zero has not crossed, so roots are evaluated before and after the change.
  void leave(const State& before);
  void restart(const State& after, std::size_t event);
  // The first crossing at or after `from` that was not returned before; empty: there are no more in this step.
  std::optional<Hit> first(double from, double h, double t0, const Interpolant& at);
  // The motion was on the switch of a formula and has left it in the last step.
  bool left_a_switch() const { return left_a_switch_; }
  void memory(Archive& archive) { archive(sign_, left_); }

 private:
  struct Scan {
    std::optional<double> theta;
    int sign;  // after the crossing, or at the end of the step
  };
  void sample(double from, const Interpolant& at);
  Scan scan(std::size_t event, double from, double rounding, const Interpolant& at) const;

  const std::vector<Event>& events_;
  std::vector<int> sign_, end_sign_;  // -1, +1, or 0 while unknown
  std::vector<double> values_;        // values of all events at the samples of a step
  std::vector<int> left_;             // 1: the motion is on this switch, moving to the side given by the sign
  bool left_a_switch_ = false;
};
}  // namespace trill
