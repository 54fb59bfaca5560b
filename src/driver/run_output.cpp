// SPDX-License-Identifier: BSD-3-Clause
// Rows and dense segments of a run.
#include "driver/failure.hpp"
#include "driver/run.hpp"

#include <cmath>

#include <fmt/format.h>

namespace trill {
namespace {
constexpr double at_the_start = 1e-12;  // share of a step: rounding of the time at which it began
}  // namespace

// Rows for every output time up to t inside the step that began at t0.
void Run::output_until(double t, double t0, double h) {
  if (clock_.counts_steps()) {
    clock_.pass_steps(1);
    if (clock_.steps_left() > 0 && !finished()) return;
    clock_.restart_steps();
    leave(inner_, user_);
    record(user_);
    return;
  }
  // Grid points are rounded multiples of dt: a point that equals the step's end up to rounding belongs to this step.
  const double slack = landing_slack(h, t);
  if (random_) return output_step(t, slack);
  for (double out = clock_.next_time(); direction_ * (out - t) <= slack; out = clock_.next_time()) {
    clock_.pass_time();
    if (std::abs(out - t) <= slack && t == inner_.t) {
      leave(inner_, user_);
      if (!finished()) user_.t = out;
      record(user_);
    } else {
      State& between = inside((out - t0) / h);
      between.t = out;
      record(between);
    }
  }
  if (t == inner_.t && finished()) record_last();
}

// Between two steps a random path is not known, and what is interpolated there has too small a variance. So the row
// that was due within the step is its end, with the time of that.
void Run::output_step(double t, double slack) {
  bool due = false;
  for (; direction_ * (clock_.next_time() - t) <= slack; clock_.pass_time()) due = true;
  if (t != inner_.t || !(due || finished())) return;
  leave(inner_, user_);
  if (last_recorded_ != user_.t) record(user_);
}

void Run::record_last() {
  if (last_recorded_ == inner_.t) return;
  leave(inner_, user_);
  record(user_);
}

void Run::record(const State& s) {
  const Vec& measured = measures_->at(s, last_step_);
  last_recorded_ = s.t;
  if (s.y.allFinite() && measured.allFinite())
    give_row(s, measured);
  else if (outcome_.status == RunStatus::reached_end)
    stop_at_overflow(s, measured);
}

void Run::give_row(const State& s, const Vec& measured) {
  ++rows_since_restart_;
  if (rows_to_skip_ > 0)
    --rows_to_skip_;
  else
    recorder_.row(s.t, s.y, measured);
}

void Run::stop_at_overflow(const State& s, const Vec& measured) {
  const Failure failure = failure_of(AdvanceStatus::non_finite, options_.control);
  end_as(failure.status, fmt::format("at t = {:.6g}: {} became infinite or not a number; {}", s.t,
                                     first_overflow(problem_, *measures_, s, measured), failure.advice));
}

// The user's state inside the last step.
State& Run::inside(double theta) {
  // An event at the start of a step gets the actual state, which is on its constraints; an interpolant is only close.
  if (theta <= at_the_start && !detector_.empty()) {
    scratch_.y = begin_.y;
    scratch_.t = begin_.t;
  } else {
    stepper_.interpolate(theta, scratch_.y);
    scratch_.t = inner_.t - (1 - theta) * last_step_.h_taken;
  }
  scratch_.mode = inner_.mode;
  leave(scratch_, inside_);
  return inside_;
}

// Stores the part [0, theta] of the last step.
void Run::keep_dense(double t0, double h, double theta) {
  const int degree = stepper_.info().dense_degree;
  Solution::Segment segment{t0, theta * h, Mat(user_.y.size(), degree + 1)};
  for (int i = 0; i <= degree; ++i) segment.nodes.col(i) = inside(theta * i / degree).y;
  solution_.segments.push_back(std::move(segment));
}
}  // namespace trill
