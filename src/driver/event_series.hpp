// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "trill/base/archive.hpp"
#include "trill/problem/state.hpp"

#include <array>
#include <optional>

namespace trill {
// The times at which one event acted. If its intervals shrink by a factor each time, as those of a ball that comes to
// rest, they add up to a finite time, the limit. The interval that ends at t is then proportional to the time from t
// to the limit, so the limit is where the line through two earlier intervals reaches zero.
class EventSeries {
 public:
  // `serial` counts the actions of all events; `rate` is that of the event function after this one.
  void add(const State& after, std::int64_t serial, double rate);
  double fastest() const { return fastest_; }  // the largest rate so far
  double interval() const { return last_.interval; }
  bool begun() const { return hits_ > 1; }
  // Empty: the intervals do not shrink like a geometric series.
  std::optional<double> limit() const;
  double factor() const { return last_.interval / before_last_; }  // by which the last interval is shorter
  // Moves a state on to the limit as the states at the last two hits say; velocities that turn at each hit end at zero.
  void move_on(State& s, double t) const;
  std::int64_t count_lost(bool lost) { return lost_ = lost ? lost_ + 1 : 0; }
  // Intervals that are short, and have become ever shorter for very many hits, without forming a geometric series.
  bool piles_up(double elapsed);
  void memory(Archive& archive) {
    archive(hits_, serial_, lost_, short_hits_, short_since_, last_, before_last_, marks_, y_, before_y_, undisturbed_,
            fastest_);
  }

 private:
  struct Mark {
    double t = 0, interval = HUGE_VAL;
  };
  static double line_to_zero(const Mark& a, const Mark& b) {
    return b.t + b.interval * (b.t - a.t) / (a.interval - b.interval);
  }

  std::int64_t hits_ = 0, serial_ = 0, lost_ = 0, short_hits_ = 0;
  double short_since_ = 0;  // the interval when the short ones began
  double fastest_ = 0;
  Mark last_;
  double before_last_ = HUGE_VAL;
  std::array<Mark, 3> marks_{};   // intervals that differ by a factor of 4 or more, the newest first
  Vec y_, before_y_;              // after the last two hits
  std::int64_t undisturbed_ = 0;  // 1: no other event acted between them
};
}  // namespace trill
