// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "formulation/slow_point.hpp"

#include <memory>
#include <utility>

namespace trill {
// Moves the stages of a step onto the manifold on which it ends. Along the manifold they are as accurate as a
// polynomial through them can be; across it their velocities and multipliers are of lower order, and where the step
// removed an oscillation they still contain it. Refers to the forms, which must outlive it.
class SmoothInside {
 public:
  // hard: the form of the hard constraints alone, if there are gaps beside them.
  SmoothInside(const LiftedForm& form, const LiftedForm* hard);

  // The columns of `values` are states (q, v, multipliers of hard constraints) at the times t + h * nodes of a step
  // from t; the last one is its end and stays. `from`: the first column to move. If that is impossible somewhere, all
  // stay.
  void move(double t, double h, In nodes, Index from, Mat& values);
  int take_evaluations() { return std::exchange(evaluations_, 0); }  // of forces, since the last call

 private:
  bool close(double t, Index column);
  bool settle_all(double t, double h, In nodes, Index from);
  void find_slopes(In nodes);
  bool settle(double t, Index column);
  void write(Index column);

  Index n_, gaps_, hard_;
  SlowPoint point_;                        // of gaps and constraints
  std::unique_ptr<SlowPoint> hard_point_;  // of the constraints alone
  Mat moved_, multipliers_;                // states, and the multipliers of all rows at them
  Mat slopes_;  // weights of the multipliers behind the start in their derivative at each node
  Vec rate_, q_, v_, end_;
  int evaluations_ = 0;
};
}  // namespace trill
