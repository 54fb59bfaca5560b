// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "multiscale/averaging_weights.hpp"
#include "trill/formulation/acceleration.hpp"

namespace trill {
// Means of the stiff motion through a state, by velocity Verlet steps to both sides of it (SAT09 sec. 3). The means use
// the accelerations of the scheme itself; other nodes would be off its slow motion by h^2/8 q'', which the stiffness
// turns into a wrong force.
class MicroWindow {
 public:
  explicit MicroWindow(const MechanicalProblem& stiff) : accelerate_(stiff) {}
  void start(In q);  // allocates

  struct Means {
    Vec q, v, a;
  };
  // false: the motion does not stay finite.
  bool follow(double h, const AveragingWeights& weights, double t, In q, In v, Means& means);
  std::int64_t forces() const { return forces_; }
  void count(std::int64_t forces) { forces_ += forces; }  // adds forces evaluated elsewhere
  Groups groups() const { return accelerate_.counted_groups(); }

 private:
  bool side(double h, const AveragingWeights& weights, double t, Means& means);

  Acceleration accelerate_;
  std::int64_t forces_ = 0;
  Vec q0_, v0_, a0_, q_, v_, a_;
};
}  // namespace trill
