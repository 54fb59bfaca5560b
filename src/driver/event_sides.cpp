// SPDX-License-Identifier: BSD-3-Clause
#include "driver/event_sides.hpp"

#include "driver/irregular.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

namespace trill {
namespace {
// Share of the largest value that an event function had: a constraint or a formulation may move a state by that much.
constexpr double beside_the_root = 1e-6;
constexpr double next_to_nothing = 1e-9;  // of a rate before

// The change leaves nothing of the rate, as an impact without rebound does.
bool stops(const EventRate& before, const EventRate& after) {
  return std::abs(before.rate) > 1e3 * before.rate_rounding &&
         std::abs(after.rate) <= after.rate_rounding + next_to_nothing * std::abs(before.rate);
}

bool turns_from(int crossing, const EventRate& before, const EventRate& after, bool may_stop) {
  return before.known && after.known && (after.sign() == -crossing || (may_stop && stops(before, after)));
}
}  // namespace

EventSides::EventSides(const Problem& problem, const std::vector<Event>& events, std::size_t tried, double direction)
    : problem_(problem),
      events_(events),
      tried_(tried),
      motion_(problem, direction),
      side_(events.size(), 0),
      meetings_(events.size(), Meeting::none) {}

bool EventSides::changes_motion(std::size_t event) const { return events_[event].action && !events_[event].restarts; }

std::string EventSides::start(const State& s, double duration, EventDetector& detector) {
  for (std::size_t i = 0; i < tried_; ++i) {
    const int direction = events_[i].direction;
    if (direction == 0 || !changes_motion(i)) continue;
    const EventRate rate = motion_(events_[i], s, duration);
    if (rate.value * direction < 0 && !rate.on_root()) continue;
    if (!turns(i, s, duration) || has_other_side(i, s)) continue;
    side_[i] = -direction;
    if (!rate.on_root()) return wrong_side(i, rate.value);
    detector.stand(i, side_[i], rate.sign() == direction);
  }
  return "";
}

// Tries the event on states near `s` that move in its direction.
bool EventSides::turns(std::size_t event, const State& s, double duration) {
  const int direction = events_[event].direction;
  const bool has_velocities = s.layout.nv > 0;
  bool turned = false;
  for (const double size : {-10.0, -1.0, -0.1, 0.1, 1.0, 10.0}) {
    State before = s;
    for (Index i = has_velocities ? s.layout.nq : 0; i < s.y.size(); ++i)
      before.y[i] = (has_velocities ? 0 : s.y[i]) + size * irregular(i);
    const EventRate rate = motion_(events_[event], before, duration);
    if (rate.sign() != direction) continue;
    State after = before;
    problem_.on_event(static_cast<int>(event), after);
    if (after.y == before.y || !turns_from(direction, rate, motion_(events_[event], after, duration), true))
      return false;
    turned = true;
  }
  return turned;
}

bool EventSides::contradicts(std::size_t event, const State& before, double duration, const EventDetector& detector) {
  return side_[event] != 0 && motion_(events_[event], before, duration).sign() == -detector.sign(event);
}

void EventSides::act(std::size_t event, const State& before, const State& after, double duration,
                     const EventDetector& detector) {
  const EventRate from = motion_(events_[event], before, duration), to = motion_(events_[event], after, duration);
  root_error_ = std::abs(from.value);
  rate_before_ = from.rate;
  const int crossing = detector.sign(event), direction = events_[event].direction;
  if (turns_from(crossing, from, to, direction != 0) && after.y != before.y)
    side_[event] = -crossing;
  else if (direction == 0)
    side_[event] = 0;
  find_meetings(event, before, duration, detector);
}

// Events with a direction that are at their roots at this moment too. Those that cross it in their direction happen as
// well, and so do those that come to it from their far side and are turned back there by the event that acts.
void EventSides::find_meetings(std::size_t event, const State& before, double duration, const EventDetector& detector) {
  for (std::size_t i = 0; i < events_.size(); ++i) {
    const int direction = events_[i].direction;
    meetings_[i] = Meeting::none;
    if (i == event || direction == 0 || side_[i] != 0 || !changes_motion(i)) continue;
    const EventRate rate = motion_(events_[i], before, duration);
    if (!rate.on_root() || rate.sign() == 0) continue;
    if (rate.sign() == -direction)
      meetings_[i] = Meeting::comes;
    else if (detector.sign(i) == -direction)
      meetings_[i] = Meeting::crosses;
  }
}

std::string EventSides::place(std::size_t event, const State& after, double duration, EventDetector& detector) {
  std::string complaint;
  if (changes_motion(event)) complaint = place_acted(event, after, duration, detector);
  for (std::size_t i = 0; i < events_.size() && complaint.empty(); ++i)
    if (i != event && changes_motion(i)) complaint = place_other(i, event, after, duration, detector);
  std::fill(meetings_.begin(), meetings_.end(), Meeting::none);
  return complaint;
}

std::string EventSides::place_acted(std::size_t event, const State& after, double duration, EventDetector& detector) {
  last_rate_ = motion_(events_[event], after, duration);
  const EventRate& rate = last_rate_;
  const int side = side_[event], goes = rate.sign();
  if (!rate.known) return "";
  const bool wrong = side * rate.value < 0;
  const double allowed = 4 * root_error_ + (wrong ? beside_the_root * detector.extent(event) : 0);
  if (!rate.on_root() && std::abs(rate.value) > allowed) {
    if (wrong && events_[event].direction != 0) return wrong_side(event, rate.value);
    detector.set_sign(event, rate.value > 0 ? 1 : -1);
  } else if (side != 0 && goes == -side && events_[event].direction != 0) {
    return fmt::format(
        "event '{}' does not turn the motion back here, as it does elsewhere: its change of velocities lets the motion "
        "go on to the wrong side of the event; if something moves there, take its velocity into account",
        events_[event].name);
  } else if (side != 0 && goes != -side) {
    detector.stand(event, side, false);
  } else if (goes != 0) {
    detector.stand(event, goes, false);
  }
  return "";
}

// An event that did not act, though another one may have moved the state or the place where it happens.
std::string EventSides::place_other(std::size_t event, std::size_t acted, const State& after, double duration,
                                    EventDetector& detector) {
  const int direction = events_[event].direction, side = side_[event];
  if (side == 0) {
    if (meetings_[event] != Meeting::none) {
      place_met(event, acted, after, duration, detector);
      return "";
    }
    const double value = events_[event].root(after);
    if (direction == 0 || event >= tried_ || !detector.moved_past(event) || value * direction <= 0) return "";
    return turns(event, after, duration) && !has_other_side(event, after) ? wrong_side(event, value) : "";
  }
  const EventRate rate = motion_(events_[event], after, duration);
  const bool wrong = rate.value * side < 0;
  if (rate.on_root() || (wrong && std::abs(rate.value) <= beside_the_root * detector.extent(event)))
    detector.stand(event, side, rate.sign() == -side);
  else if (wrong && direction != 0 && !has_other_side(event, after))
    return wrong_side(event, rate.value);
  else if (wrong)
    side_[event] = 0;
  return "";
}

// An event at its root, where another one acted. If that one turned the motion back by a change of the state, the
// motion never reached the other side, and the event does not happen.
void EventSides::place_met(std::size_t event, std::size_t acted, const State& after, double duration,
                           EventDetector& detector) {
  const int direction = events_[event].direction;
  const EventRate rate = motion_(events_[event], after, duration);
  if (!rate.on_root()) return;
  const bool turned_back = meetings_[event] == Meeting::comes && side_[acted] != 0;
  if (meetings_[event] == Meeting::crosses || (rate.sign() == direction && !turned_back))
    detector.stand(event, -direction, true);
  else if (turned_back && rate.sign() != 0)
    detector.stand(event, rate.sign(), false);
}

// Another event happens at the same place in the opposite direction, so a motion may be on either side.
bool EventSides::has_other_side(std::size_t event, const State& s) const {
  State shifted = s;
  for (Index i = 0; i < s.y.size(); ++i) shifted.y[i] += irregular(i);
  const auto at = [&](std::size_t i, const State& state) { return events_[i].direction * events_[i].root(state); };
  for (std::size_t i = 0; i < events_.size(); ++i)
    if (events_[i].direction != 0 && changes_motion(i) && at(i, s) == -at(event, s) &&
        at(i, shifted) == -at(event, shifted))
      return true;
  return false;
}

std::string EventSides::wrong_side(std::size_t event, double value) const {
  return fmt::format(
      "the state is on the wrong side of event '{}', whose function is {:.6g} there: the event turns the motion back "
      "where the function {} through zero, so that it stays {}; begin on that side, or leave 'direction' out if the "
      "event is to act on both sides",
      events_[event].name, value, events_[event].direction < 0 ? "falls" : "rises",
      events_[event].direction < 0 ? "positive" : "negative");
}
}  // namespace trill
