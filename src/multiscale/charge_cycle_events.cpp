// SPDX-License-Identifier: BSD-3-Clause
// Switches that turn within a cycle.
#include "multiscale/charge_cycle.hpp"
#include "trill/linalg/kernels.hpp"

#include <algorithm>
#include <cmath>

namespace trill {
namespace {
constexpr double switching_accuracy = 1e-9;  // of the cycle
constexpr double surely_behind = 4;          // times the accuracy
constexpr int most_landings = 60;
constexpr double short_time = -1e-7;      // of the cycle, for differences in time before a switch turns
constexpr double difference = 1e-6;       // of unknowns
constexpr double part_without_end = 0.1;  // of the cycle, at its start

int side_of(double value) { return value > 0 ? 1 : (value < 0 ? -1 : 0); }
}  // namespace

double ChargeCycle::event_value(int event, double t, In x) {
  if (event == section_event()) return x[section_->unknown] - section_->level;
  scratch_.t = t;
  scratch_.y = x;
  return problem_->event_value(event, scratch_);
}

// Where a cycle begins on a switching point, the switch is on the side to which its mode belongs.
void ChargeCycle::find_sides() {
  scratch_.mode = state_.mode;
  if (section_) sides_.back() = 0;
  for (std::size_t k = 0; k < events_.size(); ++k) {
    sides_[k] = events_[k].restarts ? side_of(event_value(static_cast<int>(k), state_.t, state_.y)) : 0;
    if (sides_[k] == 0 && events_[k].restarts) sides_[k] = switched_ && state_.mode[k] ? 1 : -1;
  }
}

// The first stage at which a switch is on its other side, and where the values in between say that it turns.
std::optional<ChargeCycle::Crossing> ChargeCycle::first_crossing() {
  std::optional<Crossing> first;
  for (std::size_t k = 0; k < sides_.size(); ++k) {
    if (sides_[k] == 0) continue;
    const int event = static_cast<int>(k);
    for (int i = 0; i < ChargeStep::stages; ++i) {
      const double value = event_value(event, step_.stage_time(i), step_.values().col(i));
      if (side_of(value) != -sides_[k]) continue;
      const double before = i == 0 ? event_value(event, state_.t, state_.y)
                                   : event_value(event, step_.stage_time(i - 1), step_.values().col(i - 1));
      const double from = i == 0 ? 0 : step_.node(i - 1), to = step_.node(i);
      const double share = side_of(before) == sides_[k] ? before / (before - value) : 0;
      const double h = step_.h() * (from + share * (to - from));
      if (!first || h < first->h) first = Crossing{event, h, step_.h() * to, value};
      break;
    }
  }
  return first;
}

// The length of the step is varied by the rule of false position (Illinois) until it ends on the switching point.
ChargeCycle::Outcome ChargeCycle::land_on_event(const Crossing& crossing) {
  const double accuracy = switching_accuracy * settings_.period;
  const int event = crossing.event, side = sides_[static_cast<std::size_t>(event)];
  double low = 0, high = crossing.beyond, h = crossing.h;
  double low_value = event_value(event, state_.t, state_.y), high_value = crossing.value_beyond;
  if (side_of(low_value) == -side || h <= accuracy) return take_event(event) ? Outcome::event : Outcome::failed;
  int last_side = 0;
  for (int landing = 0; landing < most_landings; ++landing) {
    if (!budget_.take_step() || !step_.attempt(state_.t, h, charges_, state_.y)) {
      wish_ = 0.5 * h;
      return Outcome::end;
    }
    const double value = event_value(event, step_.t() + step_.h(), step_.end());
    const double slope = std::abs(high_value - low_value) / (high - low);
    if (std::abs(value) <= slope * accuracy) break;
    const bool beyond = side_of(value) == -side;
    (beyond ? high : low) = h;
    (beyond ? high_value : low_value) = value;
    if (high - low <= accuracy) {
      if (beyond) break;
      h = high;
      continue;
    }
    const int this_side = beyond ? 1 : -1;
    if (this_side == last_side) (beyond ? low_value : high_value) *= 0.5;
    last_side = this_side;
    h = landing % 4 == 3 ? 0.5 * (low + high) : (low * high_value - high * low_value) / (high_value - low_value);
    if (!(h > low && h < high)) h = 0.5 * (low + high);
  }
  const auto earlier = first_crossing();
  if (earlier && earlier->event != event && earlier->h < step_.h() - accuracy) return land_on_event(*earlier);
  return take_step() && take_event(event) ? Outcome::event : Outcome::failed;
}

// d/dt of the value of an event along the motion; leaves its gradient in gradient_.
double ChargeCycle::control_rate(int event) {
  values_ = state_.y;
  const double here = event_value(event, state_.t, values_);
  for (Index i = 0; i < values_.size(); ++i) {
    const double step = difference * std::max(1.0, std::abs(values_[i]));
    values_[i] += step;
    gradient_[i] = (event_value(event, state_.t, values_) - here) / (values_[i] - state_.y[i]);
    values_[i] = state_.y[i];
  }
  if (!consistent_.slope(state_.t, short_time * settings_.period, state_.y, rate_)) return 0;
  return gradient_.dot(rate_);
}

// A cycle that begins on its section does not end there at once.
void ChargeCycle::arm_section() {
  if (!section_) return;
  const bool is_below = state_.y[section_->unknown] < section_->level;
  sides_.back() = is_below && state_.t - begin_ > part_without_end * settings_.period ? -1 : 0;
}

// Charges at the end change with the time of the end: dq += q' dt, dt = -(gradient . dx)/(rate of the section).
bool ChargeCycle::end_on_section() {
  reached_ = true;
  if (wanted_ == Derivative::none) return true;
  const double rate = control_rate(section_event());
  if (!(rate > 0)) return fail("the section where cycles end is not crossed from below");
  problem_->current(state_.t, state_.y, current_);
  CycleTape& tape = wanted_ == Derivative::tape ? tape_ : last_;
  tape.add_event(-current_, -gradient_ / rate);
  if (wanted_ == Derivative::propagate) tape.sweep_last_event(derivatives_);
  return true;
}

// A step that lands on a switching point ends a little before or after it. Whether other switches change at the same
// instant is decided at a state that is surely after it; before it, two switches of one instant would change each other
// back for ever.
void ChargeCycle::turn_just_after(int event) {
  after_ = state_;
  if (has_stepped_) {
    const double later = surely_behind * switching_accuracy * settings_.period;
    constexpr int last = ChargeStep::stages - 1;
    const double lasts = (step_.node(last) - step_.node(last - 1)) * step_.h();
    after_.t += later;
    after_.y += later / lasts * (step_.end() - step_.values().col(last - 1));
  }
  problem_->on_event(event, after_);
  state_.mode = after_.mode;
}

bool ChargeCycle::take_event(int event) {
  if (event == section_event()) return end_on_section();
  if (!budget_.take_switching()) return fail("the switches turn back and forth without end");
  ++counts_.events;
  const bool differentiates = wanted_ != Derivative::none && has_stepped_;
  double rate = 0;
  if (differentiates) {
    rate = control_rate(event);
    problem_->current(state_.t, state_.y, current_);
  }
  scratch_.mode = state_.mode;
  if (switched_)
    turn_just_after(event);
  else if (values_ = state_.y, problem_->on_event(event, state_), values_ != state_.y)
    problem_->charge(state_.y, charges_);
  for (std::size_t k = 0; k < events_.size(); ++k)
    if (static_cast<int>(k) == event || (switched_ && state_.mode[k] != scratch_.mode[k])) sides_[k] = -sides_[k];
  scratch_.mode = state_.mode;
  enter_mode();
  if (!differentiates && !trace_.keeps_points()) return true;
  values_ = state_.y;
  if (consistent_.find(state_.t, charges_, values_) != ConsistentCharges::Status::ok && !find_values_later(values_))
    return fail("no voltages and currents were found after a switch turned");
  if (consistent_.is_rounded()) ++counts_.rounded;
  trace_.point(state_.t, values_);
  return !differentiates || take_saltation(rate);
}

// The switch turns earlier or later where the cycle starts elsewhere, and the charges meanwhile change at the rate
// before or after: dq += (q'(before) - q'(after)) dt, dt = -(gradient . dx)/(control rate).
bool ChargeCycle::take_saltation(double control_rate) {
  if (control_rate == 0) return true;
  problem_->current(state_.t, values_, rate_);
  CycleTape& tape = wanted_ == Derivative::tape ? tape_ : last_;
  tape.add_event(rate_ - current_, -gradient_ / control_rate);
  if (wanted_ == Derivative::propagate) tape.sweep_last_event(derivatives_);
  return true;
}
}  // namespace trill
