// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "trill/driver/driver.hpp"
#include "trill/problem/circuit.hpp"

namespace trill {
// The value of an event function at a state, and how the motion changes it.
struct EventRate {
  double value = 0, value_rounding = 0;
  double rate = 0, rate_rounding = 0;
  bool known = false;  // false: the state alone does not tell the rate

  int sign() const { return !known || std::abs(rate) <= rate_rounding ? 0 : (rate > 0 ? 1 : -1); }
  bool on_root() const { return std::abs(value) <= 64 * value_rounding; }
};

// Tells from a state alone, without a step, to which side of an event the motion goes. Values of the event function
// next to its root are rounding and cannot tell it. The rate is known if the event function depends on the time and on
// components whose rates are known: positions with velocities, all of a first-order system, and those unknowns of a
// circuit that are charges themselves.
class EventMotion {
 public:
  EventMotion(const Problem& problem, double direction);
  // Differences are taken over a small part of `duration`, a time in which the motion changes visibly.
  EventRate operator()(const Event& event, const State& s, double duration);

 private:
  void find_velocity(const State& s);
  void find_charge_rates(const State& s);
  double rounding_of(const Event& event, const State& s, double value);
  bool depends_on_more(const Event& event, const State& s, const EventRate& found);

  const FirstOrderProblem* first_order_;
  const CircuitProblem* circuit_;
  double direction_;  // of the run in time
  State shifted_;
  Vec velocity_, unknown_;  // unknown: 1 for components whose rate the state does not tell, otherwise 0
};
}  // namespace trill
