// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "method/stage_system.hpp"

namespace trill {
// The inside of the last step of an implicit Runge-Kutta method: the collocation polynomial, or for methods without one
// a cubic through both ends.
class StepInterior {
 public:
  void start(const StageSystem& stages, const State& s);
  void keep(double h, In y0, In y1, const StageSystem& stages);  // stores a step from y0 to y1
  void interpolate(double theta, Out y);

 private:
  const StageBlock* block_ = nullptr;
  Index positions_ = 0, n_ = 0, hard_ = 0;  // sizes of the parts of y: positions, velocities, multipliers
  // Points where the polynomial is known: the ends of the step and the stages between them.
  Vec nodes_, weights_;
  Mat inside_;  // y at these points
  double h_ = 0;
};
}  // namespace trill
