// SPDX-License-Identifier: BSD-3-Clause
// Places where no solution goes on, and the motion tips over into another one.
#include "driver/run.hpp"

#include <cmath>

#include <fmt/format.h>

namespace trill {
namespace {
constexpr double first_leap = 1e-9;  // of the run
constexpr double longer_leap = 10;   // than the one before it, if no step was possible between them
constexpr int most_leaps_in_a_row = 4;
constexpr double share_of_the_way = 0.5;  // to the next stop
}  // namespace

// False: the run cannot go on there.
bool Run::leap(const AdvanceResult& result) {
  const bool is_stuck = result.status == AdvanceStatus::newton_failed || result.status == AdvanceStatus::step_too_small;
  if (!leaping_ || !is_stuck || options_.reformulation || std::holds_alternative<FixedStep>(options_.control))
    return false;
  const std::int64_t steps = advancer_.counters().steps;
  leaps_in_a_row_ = steps == step_of_last_leap_ ? leaps_in_a_row_ + 1 : 0;
  step_of_last_leap_ = steps;
  if (leaps_in_a_row_ >= most_leaps_in_a_row) return false;
  const double longest = first_leap * std::pow(longer_leap, leaps_in_a_row_) * std::abs(t_end_ - t_start_);
  State after = inner_;
  const double dt = std::min(longest, share_of_the_way * std::abs(next_stop() - inner_.t));
  if (!(dt > 0) || !leaping_->leap(direction_ * dt, after)) return false;
  session_.enter(after);
  if (!settle_charges(problem_, after).empty()) {
    session_.enter(inner_);
    return false;
  }
  advancer_.notes().raise(
      inner_.t, "tipped_over",
      "No solution went on from there: transistors, switches or formulas feed back on each other without capacitances, "
      "and the circuit tipped over into another state. The value is the time that was allowed for it.",
      Severity::info, dt, 0);
  record_leap(after);
  inner_ = user_ = after;
  advancer_.start(inner_, t_end_);  // the steps before had become shorter and shorter
  detector_.start(user_);
  return true;
}

// Both sides, if all steps are recorded; otherwise what is due between them.
void Run::record_leap(const State& after) {
  if (clock_.counts_steps()) {
    record_last();
    return record(after);
  }
  State before = inner_;
  for (; direction_ * (clock_.next_time() - after.t) <= 0; clock_.pass_time()) {
    before.t = clock_.next_time();
    record(before);
  }
}
}  // namespace trill
