// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "trill/base/archive.hpp"
#include "trill/problem/state.hpp"

#include <functional>
#include <optional>

namespace trill {
struct Event;

// Finds sign changes of event functions inside steps. The interpolant is sampled at a few interior points. Where the
// values come close to zero and go back, it looks between them too, so that most pairs of crossings are seen.
class EventDetector {
 public:
  using Interpolant = std::function<const State&(double theta)>;  // the user's state inside the last step
  struct Hit {
    std::size_t event;
    double theta;
    // The motion goes back across the root at which it stood, but the step does not show how it left: it is too long.
    bool unresolved = false;
  };

  explicit EventDetector(const std::vector<Event>& events);
  bool empty() const { return events_.empty(); }
  void start(const State& s);  // takes the signs at the beginning
  // Call both when `event` changes the state. Other events that cross at the same moment are still due. But an event
  // whose value the change itself moves past zero has not crossed, so roots are evaluated before and after the change.
  void leave(const State& before);
  // After restart(): the switch of this event has turned, and the motion is about to be on the side of this sign, to
  // which it belongs now.
  void turn(std::size_t event, int sign) {
    stand(event, sign, false);
    moved_past_[event] = 0;
  }
  void restart(const State& after, std::size_t event);
  // The state is on the root of this event. It leaves to the side of this sign; if it is `due`, it comes from there, so
  // that the event happens at once. Values of the event function next to the root are rounding.
  void stand(std::size_t event, int sign, bool due);
  void set_sign(std::size_t event, int sign) { sign_[event] = sign; }
  int sign(std::size_t event) const { return sign_[event]; }
  double extent(std::size_t event) const { return extent_[event]; }  // the largest value so far
  // The last change of the state moved it past the root of this event, which is no crossing.
  bool moved_past(std::size_t event) const { return moved_past_[event] != 0; }
  // Switches alone, all of them still on the side on which they were, and none of them on its root.
  bool stays(const State& s);
  // The first crossing at or after `from` that was not returned before; empty: there are no more in this step.
  std::optional<Hit> first(double from, double h, double t0, const Interpolant& at);
  void forget_last() {  // the step is made again: signs as before the last call of first()
    sign_ = sign_before_;
    stands_ = stands_before_;
  }
  // The motion was on the switch of a formula and has left it in the last step.
  bool left_a_switch() const { return left_a_switch_; }
  void memory(Archive& archive) { archive(sign_, stands_, extent_); }

 private:
  static constexpr int to_be_found = 2;  // marks a sign that must be determined again
  enum Stand { not_on_root, on_switch, leaves, is_due };
  struct Scan {
    std::optional<double> theta;
    int sign;  // after the crossing, or at the end of the step
    bool unresolved = false;
  };
  void sample(double from, const Interpolant& at);
  Scan scan(std::size_t event, double from, double rounding, const Interpolant& at) const;
  struct Point {
    double theta, value;
  };
  std::optional<Point> beyond_root(std::size_t event, std::size_t k, double from, const Interpolant& at) const;
  Scan end_of_flight(std::size_t event, double from, double rounding, const Interpolant& at) const;

  const std::vector<Event>& events_;
  std::vector<int> sign_, end_sign_;  // -1, +1, or 0 while unknown
  std::vector<double> values_;        // values of all events at the samples of a step
  std::vector<double> extent_;
  std::vector<int> stands_;  // a Stand; on the root, the motion goes to the side given by the sign
  std::vector<int> sign_before_, stands_before_;
  std::vector<int> kept_, moved_past_;
  bool left_a_switch_ = false;
};
}  // namespace trill
