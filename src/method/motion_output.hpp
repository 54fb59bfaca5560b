// SPDX-License-Identifier: BSD-3-Clause
// States inside a step of a method that solves stages of a mechanical system.
#pragma once

#include "formulation/constraint_formulation.hpp"

namespace trill {
// Between two states of such a system.
struct MotionStep {
  double t1, h;  // end and size
  const Vec &y0, &y1;
};

// y = (q, v) moved onto the constraints at theta in [0, 1], with the multipliers of that state.
void settle_inside(ConstrainedStage& stage, const MotionStep& step, double theta, Out y);
// Positions and velocities of a cubic through both states, settled.
void interpolate_motion(ConstrainedStage& stage, const MotionStep& step, double theta, Out y);
}  // namespace trill
