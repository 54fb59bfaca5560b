// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "trill/base/types.hpp"

namespace trill {
// One step of the classical Runge-Kutta method of order 4, for motions that are followed inside a formulation or inside
// the step of a method. It is not a Stepper: it knows nothing about problems, errors, output or files.
struct Rk4Kernel {
  void start(Index n) { stage = k2 = k3 = k4 = increment = Vec::Zero(n); }  // allocates

  // Starts from y with the slope k1; y + increment is the end of the step. slope_at(share, stage, slope) computes the
  // slope at this share of the step. It may correct the stage first; if it returns false the step ends.
  template <class SlopeAt>
  bool step(double h, In y, In k1, SlopeAt&& slope_at) {
    stage = y + 0.5 * h * k1;
    if (!slope_at(0.5, stage, k2)) return false;
    stage = y + 0.5 * h * k2;
    if (!slope_at(0.5, stage, k3)) return false;
    stage = y + h * k3;
    if (!slope_at(1.0, stage, k4)) return false;
    increment = h / 6 * (k1 + 2 * k2 + 2 * k3 + k4);
    return true;
  }

  Vec stage, k2, k3, k4, increment;
};
}  // namespace trill
