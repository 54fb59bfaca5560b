// SPDX-License-Identifier: BSD-3-Clause
// Events that turn the motion back: the side on which they keep it, and how it comes to rest there.
#include "driver/run.hpp"

#include <cmath>

#include <fmt/format.h>

namespace trill {
namespace {
constexpr double eps = std::numeric_limits<double>::epsilon();
constexpr double remaining_share = 1e-9;     // of the time since the start: too little for anything to happen in it
constexpr double lost_height = 1e3;          // in units of rounding
constexpr std::int64_t surely_lost = 3;      // hits in a row
constexpr double shortest_step = 1e3 * eps;  // relative to the time, and to the longest step
constexpr double at_rest = 1e-6;             // of the largest rate at an event

bool is_low(double height, const EventRate& rate) { return height < lost_height * rate.value_rounding; }
}  // namespace

// A time in which the motion changes visibly.
double Run::visible_time() const {
  if (const auto* fixed = std::get_if<FixedStep>(&options_.control)) return fixed->h;
  return crowding_.largest_step() > 0 ? crowding_.largest_step() : 1e-3 * std::abs(t_end_ - t_start_);
}

void Run::check_sides_at_start() {
  const std::string complaint = sides_.start(user_, visible_time(), detector_);
  if (!complaint.empty()) throw UsageError(fmt::format("at the start, t = {:.6g}: {}", user_.t, complaint));
}

// False: the state is on the wrong side of an event.
bool Run::takes_side(std::size_t index) {
  const std::string complaint = sides_.place(index, user_, visible_time(), detector_);
  if (!complaint.empty()) end_as(RunStatus::refused, fmt::format("at t = {:.6g}: {}", user_.t, complaint));
  return complaint.empty();
}

// True: the event happens at ever shorter intervals, and the run has ended for that reason.
bool Run::accumulates(std::size_t index) {
  EventSeries& series = series_[index];
  series.add(user_, crowding_.serial(), sides_.fastest_rate());
  const double elapsed = std::abs(user_.t - t_start_);
  const std::optional<double> limit = series.limit();
  if ((limit && std::abs(*limit - user_.t) <= remaining_share * elapsed) || is_lost_in_rounding(index)) {
    come_to_rest(index);
    return true;
  }
  if (!series.piles_up(elapsed)) return false;
  end_as(
      RunStatus::refused,
      fmt::format("at t = {:.6g}: event '{}' has happened at ever shorter intervals, the last of them {:.3g}, which do "
                  "not shrink by a constant factor, so it is not known where they end; let the event end the run "
                  "(stop = true) or change the model so that it no longer happens there",
                  user_.t, events_[index].name, series.interval()));
  return true;
}

// The way between two hits of an event that turns the motion is too short to be computed.
bool Run::is_lost_in_rounding(std::size_t index) {
  EventSeries& series = series_[index];
  const EventRate& rate = sides_.last_rate();
  const double interval = series.interval();
  // Events that meet at one point may follow one another at once without being at rest.
  const bool alone = interval > shortest_step * std::abs(user_.t) || is_slow(index, rate);
  const bool lost =
      sides_.is_one_sided(index) && series.begun() && alone && is_low(std::abs(rate.rate) * interval / 8, rate);
  return series.count_lost(lost) >= surely_lost;
}

bool Run::is_slow(std::size_t index, const EventRate& rate) const {
  return std::abs(rate.rate) <= at_rest * series_[index].fastest();
}

// The motion leaves the root of an event and comes back in the first part of the step that was made, but not so that
// the step shows it. How far it leaves follows from its rate and from how much it is bent in the step.
bool Run::leaves_in_rounding(std::size_t index, double h) {
  constexpr double part = 0.25;
  const double value = events_[index].root(inside(part)), time = part * std::abs(h);
  const EventRate rate = sides_.rate(index, inside(0), visible_time());
  const double bend = 2 * std::abs(value - rate.value - rate.rate * time) / (time * time);
  return rate.known && is_low(rate.rate * rate.rate / (2 * bend), rate);
}

// A step is too long to show how the motion comes to an event or leaves it. Goes back to where the step began to make a
// shorter one, or ends the run if there is none.
void Run::step_shorter(const EventDetector::Hit& hit, double t0, double h) {
  const bool lost = hit.unresolved && leaves_in_rounding(hit.event, h);
  detector_.forget_last();
  user_ = inside(0);
  inner_ = begin_;
  const double shorter = std::abs(h) / 8;
  if (lost && shorter_step_before_ > 0) return come_to_rest(hit.event);
  if (shorter <= shortest_step * std::max(std::abs(t0), crowding_.largest_step())) return end_without_step(hit.event);
  shorter_step_ = shorter;
  advancer_.note_jump();
}

// No step is short enough: the motion is at rest there, or it is too fast.
void Run::end_without_step(std::size_t index) {
  if (is_slow(index, sides_.rate(index, user_, visible_time()))) return come_to_rest(index);
  end_as(RunStatus::refused,
         fmt::format("at t = {:.6g}: event '{}' happens so often that no step is short enough to tell its times apart; "
                     "let the event end the run (stop = true) or change the model so that it no longer happens there",
                     user_.t, events_[index].name));
  record_last();
}

// Ends the run where the motion rests on an event.
void Run::come_to_rest(std::size_t index) {
  const EventSeries& series = series_[index];
  double t = series.limit().value_or(user_.t);
  if (direction_ * (t - user_.t) < 0) t = user_.t;
  if (direction_ * (t - t_end_) > 0) t = t_end_;
  const std::string how =
      series.limit()
          ? fmt::format("it happens at intervals that shrink by the factor {:.3g} each time", series.factor())
          : "the motion does not leave it any more";
  const char* what = sides_.is_one_sided(index) ? "the motion comes to rest" : "events accumulate";
  for (double out = clock_.next_time(); direction_ * (t - out) > 0; out = clock_.next_time()) {
    State between = user_;
    series.move_on(between, out);
    record(between);
    clock_.pass_time();
  }
  series.move_on(user_, t);
  outcome_.events.push_back({events_[index].name, t});
  end_as(RunStatus::event, fmt::format("{} at t = {:.10g} on event '{}': {}", what, t, events_[index].name, how));
  if (last_recorded_ != t) record(user_);
  take_in();
}
}  // namespace trill
