// SPDX-License-Identifier: BSD-3-Clause
// Runs that nobody can wait for are refused, with the number of steps or rows that they would have.
#pragma once

#include "trill/driver/driver.hpp"

#include <cstdint>
#include <optional>

namespace trill {
// UsageError for a step, a bound of steps or an output interval so small that a run from t0 to t1 would have more than
// 1e12 of them, or that it would not change t.
void check_step_count(const StepControl& control, const Output& output, double t0, double t1);

// Says how many steps a run with step control still needs, once its steps no longer grow.
class StepForecast {
 public:
  // After so many steps in all. Empty: not known yet, or at most 1e12.
  std::optional<double> look(std::int64_t steps, double t, double t_end);

 private:
  std::int64_t next_ = 0;
  double t_ = 0, advanced_ = 0;  // at the last look, and how far the run had come since the one before it
};
}  // namespace trill
