// SPDX-License-Identifier: BSD-3-Clause
// States inside a step of a method that solves stages of a mechanical system.
#pragma once

#include "formulation/constraint_formulation.hpp"

namespace trill {
// A step between two states of such a system.
struct MotionStep {
  double t1, h;  // end and size of the step
  const Vec &y0, &y1;
};

// Moves y = (q, v) at theta in [0, 1] onto the constraints and computes the multipliers of that state.
void settle_inside(ConstrainedStage& stage, const MotionStep& step, double theta, Out y);
// Cubic interpolation of positions and velocities through both states, then settle_inside().
void interpolate_motion(ConstrainedStage& stage, const MotionStep& step, double theta, Out y);
}  // namespace trill
