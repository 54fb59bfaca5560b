// SPDX-License-Identifier: BSD-3-Clause
#include "driver/event_series.hpp"

#include <algorithm>
#include <cmath>

namespace trill {
namespace {
constexpr double shrunk = 0.25, grown = 2;  // intervals against that of the newest mark
constexpr double agreement = 0.1;           // of two estimates of a limit
constexpr double short_share = 1e-6;        // of the time since the start
constexpr std::int64_t very_many = 100'000;
}  // namespace

void EventSeries::add(const State& after, std::int64_t serial, double rate) {
  fastest_ = std::max(fastest_, std::abs(rate));
  undisturbed_ = hits_ > 0 && serial == serial_ + 1;
  serial_ = serial;
  before_y_.swap(y_);
  y_ = after.y;
  before_last_ = last_.interval;
  last_ = {after.t, hits_ > 0 ? std::abs(after.t - last_.t) : HUGE_VAL};
  ++hits_;
  if (last_.interval > grown * marks_[0].interval) marks_ = {};
  if (last_.interval <= shrunk * marks_[0].interval && std::isfinite(last_.interval))
    marks_ = {last_, marks_[0], marks_[1]};
}

std::optional<double> EventSeries::limit() const {
  if (!std::isfinite(marks_[2].interval)) return std::nullopt;
  const double limit = line_to_zero(marks_[1], marks_[0]), earlier = line_to_zero(marks_[2], marks_[1]);
  if (std::abs(limit - earlier) > agreement * std::abs(limit - marks_[1].t)) return std::nullopt;
  return limit;
}

void EventSeries::move_on(State& s, double t) const {
  const double time = t - s.t;
  if (undisturbed_ && last_.interval > 0) {
    const Index n = s.layout.nq + s.layout.nv;
    s.y.head(n) += std::abs(time) / last_.interval * (y_ - before_y_).head(n);
  }
  s.t = t;
}

bool EventSeries::piles_up(double elapsed) {
  if (last_.interval > short_share * elapsed || limit()) {
    short_hits_ = 0;
    return false;
  }
  if (short_hits_ == 0) short_since_ = last_.interval;
  if (++short_hits_ < very_many) return false;
  short_hits_ = 0;
  return last_.interval < 0.5 * short_since_;
}
}  // namespace trill
