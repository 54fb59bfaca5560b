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
  void start(const State& s);  // signs at the beginning
  // `event` changes the state; others that cross at the same moment stay due. What a change moves past its zero has
  // not crossed it, so the roots are asked before the change and after it.
  void leave(const State& before);
  void restart(const State& after, std::size_t event);
  // The first crossing at or after `from` that was not given before; nothing: the step has no more.
  std::optional<Hit> first(double from, double h, double t0, const Interpolant& at);
  // A formula's switch, on which the motion stood, was left in the last step.
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
  std::vector<double> values_;        // of all events at the samples of a step
  std::vector<int> left_;             // 1: a switch on which the motion stands, on its way to the side of the sign
  bool left_a_switch_ = false;
};
}  // namespace trill
