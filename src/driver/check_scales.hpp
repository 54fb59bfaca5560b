// SPDX-License-Identifier: BSD-3-Clause
// What the check of a run judges, and by which scale.
#pragma once

#include "driver/check_curves.hpp"

namespace trill {
// The verdict on an error relative to its scale: green up to the accuracy, amber up to fifty times that, red beyond.
inline constexpr double amber_factor = amber_deviation / green_deviation;
Verdict verdict_of(double relative, double accuracy);
inline double accuracy_of(const RunPlan& plan) { return plan.accuracy.value_or(green_deviation); }

Delivers delivered_by(const PreparedRun& run);
// The run computes the slow motion only: the fast oscillation, or its phase, is left out.
bool computes_slow_motion(const PreparedRun& run, const RunOutcome& outcome);

struct JudgedValue {
  std::string name, unit;
  bool counts = true;  // false: it is reported, but does not decide
};
// Components, then measures. What the plan names in `of` counts, or all; of a slow motion energies do not count, since
// they belong to the motion with its oscillation.
std::vector<JudgedValue> judged_values_of(const PreparedRun& run, bool slow);

// How large an error of each judged value would be as large as its motion. Components: see component_scales. A measure
// is judged by its own range, an energy by no less than the range of the kinetic energy. A measure that the motion
// conserves up to this share of its size is judged by that size.
inline constexpr double conserved_by_audit = 1e-6, conserved_by_run = 1e-3;
Vec judged_scales(const PreparedRun& run, const Extent& extent, const Curve& curve, double conserved);
}  // namespace trill
