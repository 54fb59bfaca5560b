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
    : first_order_(dynamic_cast<const FirstOrderProblem*>(&problem)), direction_(direction) {}

EventRate EventMotion::operator()(const Event& event, const State& s, double duration) {
  EventRate found;
  found.value = event.root(s);
  found.value_rounding = rounding_of(event, s, found.value);
  const double dt = small_share * duration;
  if (!(dt > 0) || !find_velocity(s) || depends_on_more(event, s, found)) return found;
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

bool EventMotion::find_velocity(const State& s) {
  velocity_.setZero(s.y.size());
  if (first_order_)
    first_order_->rhs(s.t, s.y, velocity_);
  else if (s.layout.nv == s.layout.nq)
    velocity_.head(s.layout.nq) = s.v();
  return first_order_ || s.layout.nv == s.layout.nq;
}

// All that enters the function is rounded; irregular changes do not cancel each other.
double EventMotion::rounding_of(const Event& event, const State& s, double value) {
  shifted_ = s;
  shifted_.t *= 1 + small_shift;
  for (Index i = 0; i < s.y.size(); ++i) shifted_.y[i] *= 1 + small_shift * irregular(i);
  const double change = std::abs(event.root(shifted_) - value) / small_shift;
  return 8 * std::numeric_limits<double>::epsilon() * (change + std::abs(value));
}

// Accelerations are not in the state, so the rate of a function of velocities cannot be told from it.
bool EventMotion::depends_on_more(const Event& event, const State& s, const EventRate& found) {
  if (first_order_) return false;
  shifted_ = s;
  for (Index i = s.layout.nq; i < s.y.size(); ++i) shifted_.y[i] += irregular(i) * (1 + std::abs(s.y[i]));
  return std::abs(event.root(shifted_) - found.value) > found.value_rounding;
}
}  // namespace trill
