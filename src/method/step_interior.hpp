// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "method/slow_motion.hpp"
#include "method/stage_system.hpp"

namespace trill {
// The inside of the last step of an implicit Runge-Kutta method: the collocation polynomial, or for methods without one
// a cubic through both ends.
class StepInterior {
 public:
  void start(const StageSystem& stages, const State& s);
  void forget() { follows_ = false; }  // the next step does not go on from the last one
  // How far the polynomial of a step from y0 to y1 may be from the motion between its points. False: not known yet.
  bool estimate(double h, In y0, In y1, const StageSystem& stages, Out error);
  void keep(double h, In y0, In y1, const StageSystem& stages);  // stores a step from y0 to y1
  void smooth(double t, SlowMotion& slow);                       // the stored step, which began at t; once is enough
  void interpolate(double theta, Out y);

 private:
  void fill(In y0, In y1, const StageSystem& stages, Mat& values) const;

  const StageBlock* block_ = nullptr;
  Index positions_ = 0, n_ = 0, hard_ = 0;  // sizes of the parts of y: positions, velocities, multipliers
  // Points where the polynomial is known: the ends of the step and the stages between them.
  Vec nodes_, weights_;
  Mat inside_, tried_;  // y at these points, in the last step and in one that is not yet accepted
  double h_ = 0, largest_ = 0;
  bool follows_ = false, is_smooth_ = false;
};
}  // namespace trill
