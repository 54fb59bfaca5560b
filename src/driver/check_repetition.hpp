// SPDX-License-Identifier: BSD-3-Clause
// The same run again with the same method, more accurate.
#pragma once

#include "driver/check_audit.hpp"

namespace trill {
// How much more accurate a repetition is than the run: what step size and tolerance are divided by. The ratio of step
// sizes is irrational, so that forces which two runs sample alike are not sampled alike here.
struct Refinement {
  double h, rtol;
};
inline constexpr double golden_ratio = 1.6180339887498949;
inline constexpr Refinement first_refinement{golden_ratio, 10}, second_refinement{5 * golden_ratio, 1000};

struct Repetition {
  JudgedCurve curve;
  RunOutcome outcome;
  std::string how;
  // Something other than accuracy limited the steps of both runs: breakpoints of the model, or the length of the run.
  bool decides = true;
};
double repetition_cost(const RunPlan& plan, const Counters& work);  // relative to the run
Repetition repeat(const PreparedRun& run, const RunOutcome& outcome, const std::vector<double>& times, double to,
                  const Refinement& by, const CheckClock& clock, double seconds);
// The run itself once more, with rows at other times.
JudgedCurve curve_at(const PreparedRun& run, const std::vector<double>& times, double to);
}  // namespace trill
