// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "multiscale/multipliers.hpp"
#include "multiscale/shooting_cycle.hpp"

#include <atomic>
#include <cmath>
#include <optional>

namespace trill {
struct ShootingOptions {
  int warm_up = 2;  // plain cycles before the first iteration
  int max_iterations = 40;
  double tolerance = 1e-9;  // of the estimated error of the start of the cycle, in sizes of components
  // An error that is accepted when it no longer falls: cycles from nearly equal starts differ by the choice of their
  // steps, and more so where they are computed roughly.
  double noise = 0;
  // The guess for the period of an oscillation without a clock; empty: the time of a cycle is known.
  std::optional<double> free_period;
  Index dense_up_to = 24;  // unknowns; above that, products replace the derivative if the cycle has them
  Index multipliers = 12;  // that are computed for many unknowns
  const std::atomic<bool>* stop = nullptr;  // set from outside: no further cycle is computed
};

struct ShootingResult {
  bool converged = false;
  std::string message;  // why not
  Vec z;                // start of the periodic motion, or the best that was reached
  double period = 0;    // for an oscillation without a clock
  double residual = 0;  // max |P(z) - z| in sizes of components
  double error = 0;     // estimated error of z, likewise
  Index worst = 0;      // component with the largest residual
  int iterations = 0;
  // Work. Each iteration is one cycle with sensitivities; products are sweeps of linear solves over a kept cycle.
  Index cycles = 0, cycles_with_derivative = 0, products = 0;
  Multipliers multipliers;
  double multiplier_error = HUGE_VAL;  // of the size of the largest one, from a cycle in steps of half the length
  FastOscillation fast;                // that these steps do not resolve
  bool matrix_free = false, stopped = false;
};

// Finds z with P(z) = z by Newton's method (Aprille & Trick 1972). The last cycle that was computed is the one from the
// z that is returned.
ShootingResult find_periodic(ShootingCycle& cycle, In start, const ShootingOptions& options);
}  // namespace trill
