// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "driver/event_motion.hpp"
#include "driver/events.hpp"

namespace trill {
// Events whose changes turn the motion back, as a floor turns a ball: the motion stays on one side of them. After such
// a change the event function has the sign that the motion says, however short the time until the event happens again.
//
// An event is one-sided if its change of the state alone turns the motion, or stops it in its direction. If only a
// parameter is changed (a heater is switched on), the motion may well be on both sides.
class EventSides {
 public:
  // The first `tried` events belong to the problem, so that what they would do can be tried out.
  EventSides(const Problem& problem, const std::vector<Event>& events, std::size_t tried, double direction);

  // The functions below return a sentence if the state is on the wrong side of an event, and otherwise "".
  std::string start(const State& s, double duration, EventDetector& detector);
  // The step is too inaccurate: a state on the root of a one-sided event moves away from it, to the side it came from.
  bool contradicts(std::size_t event, const State& before, double duration, const EventDetector& detector);
  // In this order: before an event acts, with the parameters from before it; and when it has acted.
  void act(std::size_t event, const State& before, const State& after, double duration, const EventDetector& detector);
  std::string place(std::size_t event, const State& after, double duration, EventDetector& detector);

  bool is_one_sided(std::size_t event) const { return side_[event] != 0; }
  EventRate rate(std::size_t event, const State& s, double duration) { return motion_(events_[event], s, duration); }
  const EventRate& last_rate() const { return last_rate_; }  // of the event that acted last, after it
  double fastest_rate() const { return std::max(std::abs(rate_before_), std::abs(last_rate_.rate)); }
  void memory(Archive& archive) { archive(side_); }

 private:
  bool changes_motion(std::size_t event) const;  // not the switch of a formula
  void find_meetings(std::size_t event, const State& before, double duration, const EventDetector& detector);
  bool turns(std::size_t event, const State& s, double duration);
  std::string place_acted(std::size_t event, const State& after, double duration, EventDetector& detector);
  std::string place_other(std::size_t event, std::size_t acted, const State& after, double duration,
                          EventDetector& detector);
  void place_met(std::size_t event, std::size_t acted, const State& after, double duration, EventDetector& detector);
  bool has_other_side(std::size_t event, const State& s) const;
  std::string wrong_side(std::size_t event, double value) const;

  const Problem& problem_;
  const std::vector<Event>& events_;
  std::size_t tried_;
  EventMotion motion_;
  std::vector<int> side_;  // 0: this event does not keep the motion on one side, as far as is known
  // How another event meets its root at the moment at which an event acts.
  enum class Meeting { none, crosses, comes };
  std::vector<Meeting> meetings_;
  EventRate last_rate_;
  double rate_before_ = 0;
  double root_error_ = 0;  // value of the event function where its root was found
};
}  // namespace trill
