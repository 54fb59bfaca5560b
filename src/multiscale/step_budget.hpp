// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <string>

#include <fmt/format.h>

namespace trill {
// How many steps and switchings are taken before a cycle is given up as one that never ends: so many in each period of
// the fastest source, and so many in all. A cycle may have thousands of these periods, but few have this many steps.
class StepBudget {
 public:
  // clocks: periods of the fastest source in a cycle of the given length. most_steps: in all; 0: as many as make sense.
  void begin(double t0, double period, double clocks, long most_steps) {
    clock_ = period / clocks;
    next_clock_ = t0 + clock_;
    in_all_ = {std::min(of_clock.steps + of_further_clock.steps * clocks, most_in_all.steps),
               std::min(of_clock.switchings + of_further_clock.switchings * clocks, most_in_all.switchings)};
    if (most_steps > 0) in_all_.steps = static_cast<double>(most_steps);
    used_ = used_before_ = {};
    reason_.clear();
    ran_out_of_steps_ = false;
  }
  void look(double t) {
    if (t < next_clock_) return;
    used_before_ = used_;
    next_clock_ = t + clock_;
  }
  bool take_step() {
    ++used_.steps;
    if (used_.steps > in_all_.steps)
      reason_ = fmt::format("a cycle needs more than {:.0f} steps", in_all_.steps);
    else if (used_.steps - used_before_.steps > of_clock.steps)
      reason_ = fmt::format("a period of the fastest source needs more than {:.0f} steps", of_clock.steps);
    else
      return true;
    ran_out_of_steps_ = true;
    return false;
  }
  bool take_switching() {
    ++used_.switchings;
    return used_.switchings <= in_all_.switchings && used_.switchings - used_before_.switchings <= of_clock.switchings;
  }
  bool ran_out_of_steps() const { return ran_out_of_steps_; }
  const std::string& reason() const { return reason_; }  // why there is no further step

 private:
  struct Work {
    double steps, switchings;
  };
  static constexpr Work of_clock{200'000, 2'000}, of_further_clock{1'000, 100}, most_in_all{5e6, 5e5};
  double clock_ = 0, next_clock_ = 0;
  Work in_all_{}, used_{}, used_before_{};
  std::string reason_;
  bool ran_out_of_steps_ = false;
};
}  // namespace trill
