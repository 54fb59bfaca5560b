// SPDX-License-Identifier: BSD-3-Clause
#include "driver/event_motion.hpp"

#include "driver/irregular.hpp"

#include <cmath>

namespace trill {
namespace {
constexpr double small_share = 1e-4;  // of the duration
constexpr double small_shift = 1e-6;  // relative
}  // namespace

EventMotion::EventMotion(const Problem& problem, double direction)
    : first_order_(dynamic_cast<const FirstOrderProblem*>(&problem)),
      circuit_(dynamic_cast<const CircuitProblem*>(&problem)),
      direction_(direction) {}

EventRate EventMotion::operator()(const Event& event, const State& s, double duration) {
  EventRate found;
  found.value = event.root(s);
  found.value_rounding = rounding_of(event, s, found.value);
  const double dt = small_share * duration;
  find_velocity(s);
  if (!(dt > 0) || depends_on_more(event, s, found)) return found;
  const auto value_after = [&](double time) {
    shifted_ = s;
    shifted_.t += time;
    shifted_.y += time * velocity_;
    return event.root(shifted_);
  };
  found.rate = direction_ * (value_after(dt) - value_after(-dt)) / (2 * dt);
  found.rate_rounding = 2 * found.value_rounding / dt;
  found.known = std::isfinite(found.rate);
  return found;
}

void EventMotion::find_velocity(const State& s) {
  const Index nq = s.layout.nq;
  velocity_.setZero(s.y.size());
  unknown_.setOnes(s.y.size());
  if (first_order_) {
    first_order_->rhs(s.t, s.y, velocity_);
    unknown_.setZero();
  } else if (circuit_) {
    find_charge_rates(s);
  } else if (s.layout.nv == nq) {
    velocity_.head(nq) = s.v();
    unknown_.head(nq).setZero();
  }
}

// d/dt charge = -current; if a charge changes exactly as its unknown does, this is the rate of the unknown.
void EventMotion::find_charge_rates(const State& s) {
  Vec before(s.y.size()), after(s.y.size()), shift(s.y.size());
  for (Index i = 0; i < shift.size(); ++i) shift[i] = irregular(i) * (1 + std::abs(s.y[i]));
  circuit_->charge(s.y, before);
  circuit_->charge(s.y + shift, after);
  circuit_->current(s.t, s.y, velocity_);
  for (Index i = 0; i < shift.size(); ++i) {
    const bool itself = std::abs(after[i] - before[i] - shift[i]) <= 1e-12 * shift[i];
    velocity_[i] = itself ? -velocity_[i] : 0;
    unknown_[i] = itself ? 0 : 1;
  }
}

// All that enters the function is rounded; irregular changes do not cancel each other.
double EventMotion::rounding_of(const Event& event, const State& s, double value) {
  shifted_ = s;
  shifted_.t *= 1 + small_shift;
  for (Index i = 0; i < s.y.size(); ++i) shifted_.y[i] *= 1 + small_shift * irregular(i);
  const double change = std::abs(event.root(shifted_) - value) / small_shift;
  return 8 * std::numeric_limits<double>::epsilon() * (change + std::abs(value));
}

// Accelerations, for example, are not in the state, so the rate of a function of velocities cannot be told from it.
bool EventMotion::depends_on_more(const Event& event, const State& s, const EventRate& found) {
  if (unknown_.isZero()) return false;
  shifted_ = s;
  for (Index i = 0; i < s.y.size(); ++i) shifted_.y[i] += unknown_[i] * irregular(i) * (1 + std::abs(s.y[i]));
  return std::abs(event.root(shifted_) - found.value) > found.value_rounding;
}
}  // namespace trill
