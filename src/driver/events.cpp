// SPDX-License-Identifier: BSD-3-Clause
#include "driver/events.hpp"

#include "trill/driver/driver.hpp"

#include <algorithm>
#include <cmath>

namespace trill {
namespace {
constexpr std::size_t samples = 4;  // per step

int sign_of(double value) { return value > 0 ? 1 : (value < 0 ? -1 : 0); }

bool counts(int before, int after, int direction) {
  return before != 0 && after != 0 && before != after && (direction == 0 || direction == after);
}

// Bisection accelerated by the Illinois rule; returns a point beyond the root, closer than `tolerance` to it.
template <class Function>
double far_side_of_root(Function&& g, double a, double ga, double b, double gb, double tolerance) {
  const int before = sign_of(ga);
  double wa = ga, wb = gb;
  int last_side = 0;
  for (int i = 0; i < 200 && b - a > tolerance; ++i) {
    double c = i % 3 == 2 ? 0.5 * (a + b) : (a * wb - b * wa) / (wb - wa);
    if (!(c > a && c < b)) c = 0.5 * (a + b);
    const double gc = g(c);
    if (sign_of(gc) == before) {
      a = c;
      wa = gc;
      if (last_side == -1) wb *= 0.5;
      last_side = -1;
    } else {
      b = c;
      wb = gc;
      if (last_side == 1) wa *= 0.5;
      last_side = 1;
      if (gc == 0) break;
    }
  }
  return b;
}

// There may be several roots between samples; looks for an earlier one before the one that was found.
template <class Function>
double far_side_of_first_root(Function&& g, double a, double ga, double b, double gb, double tolerance) {
  double root = far_side_of_root(g, a, ga, b, gb, tolerance);
  for (std::size_t k = 1; k < samples; ++k) {
    if (root - a <= samples * tolerance) break;
    const double c = a + (root - a) * static_cast<double>(k) / samples, gc = g(c);
    if (sign_of(gc) != -sign_of(ga)) continue;
    root = far_side_of_root(g, a, ga, c, gc, tolerance);
    k = 0;
  }
  return root;
}
}  // namespace

EventDetector::EventDetector(const std::vector<Event>& events)
    : events_(events),
      sign_(events.size(), 0),
      end_sign_(sign_),
      extent_(events.size(), 0.0),
      stands_(events.size(), not_on_root),
      kept_(sign_),
      moved_past_(sign_) {}

void EventDetector::start(const State& s) {
  for (std::size_t i = 0; i < events_.size(); ++i) sign_[i] = sign_of(events_[i].root(s));
}

void EventDetector::leave(const State& before) {
  kept_ = sign_;
  for (std::size_t i = 0; i < events_.size(); ++i)
    if (!counts(sign_[i], sign_of(events_[i].root(before)), events_[i].direction)) sign_[i] = to_be_found;
}

void EventDetector::restart(const State& after, std::size_t event) {
  for (std::size_t i = 0; i < events_.size(); ++i) {
    if (sign_[i] == to_be_found) sign_[i] = sign_of(events_[i].root(after));
    moved_past_[i] = sign_[i] * kept_[i] < 0;
  }
  // The state is on the root of this event, so its sign is known only after the motion has left it. If a formula was
  // switched, the motion must go to the other side; otherwise it comes back across the switch.
  sign_[event] = events_[event].restarts ? end_sign_[event] : 0;
  stands_[event] = events_[event].restarts ? on_switch : not_on_root;
}

void EventDetector::stand(std::size_t event, int sign, bool due) {
  sign_[event] = sign;
  stands_[event] = due ? is_due : leaves;
}

bool EventDetector::stays(const State& s) {
  left_a_switch_ = false;
  for (std::size_t i = 0; i < events_.size(); ++i) {
    if (!events_[i].restarts || stands_[i] != not_on_root) return false;
    const double value = events_[i].root(s);
    if (sign_of(value) == 0 || sign_of(value) != sign_[i]) return false;
    extent_[i] = std::max(extent_[i], std::abs(value));
  }
  return true;
}

// Event values, sample by sample: a model evaluates all of its switches at once for a state.
void EventDetector::sample(double from, const Interpolant& at) {
  values_.resize((samples + 1) * events_.size());
  for (std::size_t k = 0; k <= samples; ++k) {
    const State& s = at(from + (1 - from) * static_cast<double>(k) / samples);
    for (std::size_t i = 0; i < events_.size(); ++i) {
      const double value = events_[i].root(s);
      values_[k * events_.size() + i] = value;
      if (k == 0) extent_[i] = std::max(extent_[i], std::abs(value));
    }
  }
}

EventDetector::Scan EventDetector::scan(std::size_t event, double from, double rounding, const Interpolant& at) const {
  const auto g = [&](double theta) { return events_[event].root(at(theta)); };
  const int direction = events_[event].direction;
  int sign = sign_[event];
  if (stands_[event] == is_due) return {from, -sign};
  if (stands_[event] == leaves && counts(sign, sign_of(values_[events_.size() + event]), direction))
    return end_of_flight(event, from, rounding, at);
  const bool stands = sign == 0 || stands_[event] != not_on_root;
  double a = from, ga = stands ? 0 : values_[event];
  // On the root, the sign is that of the first value away from it: rounding may have left it on either side.
  const bool looks = stands && stands_[event] != leaves;
  for (double d = sign == 0 ? 1e-8 : 1e-6; looks && sign_of(ga) == 0 && d < 1.0 / samples; d *= 10) {
    a = from + (1 - from) * d;
    ga = g(a);
  }
  if (sign == 0) sign = sign_of(ga);
  if (counts(sign, sign_of(ga), direction)) return {a, sign_of(ga)};
  if (sign_of(ga) != 0) sign = sign_of(ga);
  const auto crosses_before = [&](Point b) -> std::optional<Scan> {
    if (counts(sign, sign_of(b.value), direction))
      return Scan{sign_of(ga) == sign ? far_side_of_first_root(g, a, ga, b.theta, b.value, rounding) : a,
                  sign_of(b.value)};
    if (sign_of(b.value) != 0) sign = sign_of(b.value);
    a = b.theta;
    ga = b.value;
    return std::nullopt;
  };
  for (std::size_t k = 1; k <= samples; ++k) {
    const Point b{from + (1 - from) * static_cast<double>(k) / samples, values_[k * events_.size() + event]};
    const std::optional<Point> beyond = beyond_root(event, k, from, at);
    const bool earlier = beyond && beyond->theta < b.theta;
    for (const std::optional<Point>& point : {earlier ? beyond : b, earlier ? b : beyond})
      if (point)
        if (const auto found = crosses_before(*point)) return *found;
  }
  return {std::nullopt, sign};
}

// If the values at three samples come near the root and go back from it: a point beyond the root between them. A
// parabola tells where to look.
std::optional<EventDetector::Point> EventDetector::beyond_root(std::size_t event, std::size_t k, double from,
                                                               const Interpolant& at) const {
  if (k == samples || events_[event].restarts) return std::nullopt;
  const auto sampled = [&](std::size_t i) {
    return Point{from + (1 - from) * static_cast<double>(i) / samples, values_[i * events_.size() + event]};
  };
  Point p[3] = {sampled(k - 1), sampled(k), sampled(k + 1)};
  const int sign = sign_of(p[1].value);
  if (sign == 0 || sign_of(p[0].value) != sign || sign_of(p[2].value) != sign) return std::nullopt;
  for (Point& point : p) point.value *= sign;
  for (int tries = 0; tries < 8; ++tries) {
    const double left = p[1].theta - p[0].theta, right = p[2].theta - p[1].theta;
    const double falls = (p[0].value - p[1].value) / left, rises = (p[2].value - p[1].value) / right;
    const double curvature = (falls + rises) / (left + right), slope = rises - curvature * right;
    const double theta = p[1].theta - slope / (2 * curvature), lowest = p[1].value - slope * slope / (4 * curvature);
    const bool inside = curvature > 0 && theta > p[0].theta && theta < p[2].theta && theta != p[1].theta;
    if (!inside || lowest > 0.5 * std::min({p[0].value, p[1].value, p[2].value})) break;
    const Point found{theta, sign * events_[event].root(at(theta))};
    if (found.value < 0) return Point{theta, sign * found.value};
    // Three neighbours among the four points, with the lowest one among them.
    const bool before = theta < p[1].theta;
    const Point q[4] = {p[0], before ? found : p[1], before ? p[1] : found, p[2]};
    const bool first_half = std::min(q[0].value, q[1].value) < std::min(q[2].value, q[3].value);
    std::copy_n(first_half ? q : q + 1, 3, p);
  }
  return std::nullopt;
}

// The motion left the root but was on the other side at the first sample.
EventDetector::Scan EventDetector::end_of_flight(std::size_t event, double from, double rounding,
                                                 const Interpolant& at) const {
  const auto g = [&](double theta) { return events_[event].root(at(theta)); };
  const int sign = sign_[event];
  double b = from + (1 - from) / samples, gb = values_[events_.size() + event];
  for (double d = 0.125 * (b - from); d > rounding; d *= 0.125) {
    const double a = from + d, ga = g(a);
    if (sign_of(ga) == sign) return {far_side_of_first_root(g, a, ga, b, gb, rounding), -sign};
    b = a;
    gb = ga;
  }
  return {from, -sign, true};
}

std::optional<EventDetector::Hit> EventDetector::first(double from, double h, double t0, const Interpolant& at) {
  const double rounding = 4 * std::numeric_limits<double>::epsilon() * std::max(1.0, std::abs(t0 / h));
  std::optional<Hit> best;
  sign_before_ = sign_;
  stands_before_ = stands_;
  left_a_switch_ = false;
  sample(from, at);
  for (std::size_t i = 0; i < events_.size(); ++i) {
    const Scan found = scan(i, from, rounding, at);
    end_sign_[i] = found.sign;
    left_a_switch_ = left_a_switch_ || (events_[i].restarts && sign_[i] == 0 && found.sign != 0);
    if (found.theta && (!best || *found.theta < best->theta)) best = Hit{i, *found.theta, found.unresolved};
  }
  if (best)
    sign_[best->event] = end_sign_[best->event];
  else
    sign_ = end_sign_;
  std::fill(stands_.begin(), stands_.end(), not_on_root);
  return best;
}
}  // namespace trill
