// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "method/stage_system.hpp"

namespace trill {
// The inside of the last step of an implicit Runge-Kutta method: the collocation polynomial, or a cubic through the
// ends of methods that have none.
class StepInterior {
 public:
  void start(const StageSystem& stages, const State& s);
  void keep(double h, In y0, In y1, const StageSystem& stages);  // of a step from y0 to y1
  void interpolate(double theta, Out y);

 private:
  const StageBlock* block_ = nullptr;
  Index positions_ = 0, n_ = 0, hard_ = 0;  // parts of y: positions, velocities, multipliers
  Vec nodes_, weights_;  // places where the polynomial is known: ends of the step and the stages between
  Mat inside_;           // y there
  double h_ = 0;
};
}  // namespace trill
