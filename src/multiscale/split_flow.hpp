// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "multiscale/linear_oscillation.hpp"
#include "trill/formulation/acceleration.hpp"

#include <cstdint>

namespace trill {
// The motion of a mechanical system by Strang splitting: the linear fast forces are solved in closed form between kicks
// by the slow ones. Velocity-dependent forces kick by the midpoint rule. Nothing is allocated after construction.
class SplitFlow {
 public:
  SplitFlow(const MechanicalProblem& problem, LinearOscillation& fast, In q);
  void set_off(double t, In y);  // y = (q, v); the force there is used for both directions
  void return_to_start();
  void run(double h, const LinearOscillation::Turn& turn, int steps);  // continues from the present state
  const Vec& y() const { return y_; }
  void slow_acceleration(double t, In q, In v, Out a);
  bool kicks_by_velocity() const { return by_velocity_; }

  std::int64_t forces = 0, micro_steps = 0;  // evaluations of all slow groups; closed-form steps of the fast motion

 private:
  void kick(double time);

  LinearOscillation& fast_;
  Acceleration accelerate_;
  bool by_velocity_;
  Index n_;
  double t_ = 0, t_start_ = 0;
  Vec y_, y_start_, a_, a_start_, steady_, between_;
};
}  // namespace trill
