// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "formulation/constraint_manifold.hpp"
#include "trill/formulation/acceleration.hpp"

#include <optional>

namespace trill {
// The temperature that positions alone show: kT = <|grad U|^2> / <Laplacian of U>, gradient and Laplacian in the metric
// of the mass and, with constraints, on their manifold (Rugh, Phys. Rev. Lett. 78 (1997) 772; Butler, Ayton, Jepps,
// Evans, J. Chem. Phys. 109 (1998) 6519). Unlike the kinetic temperature it says whether a sampler visits positions as
// often as it should. The Laplacian is estimated along one random direction, which is right on average.
class ConfigurationalTemperature {
 public:
  // For a constant diagonal mass, and forces that have a potential and do not depend on velocities or time.
  static bool applies(const MechanicalProblem& problem);
  explicit ConfigurationalTemperature(const MechanicalProblem& problem);

  struct Sample {
    double slope = 0, curvature = 0;  // |grad U|^2 and the Laplacian
  };
  // Empty: the constraints depend on each other there, or a number is not finite.
  std::optional<Sample> at(double t, In q, std::uint64_t number);

 private:
  const MechanicalProblem& p_;
  Acceleration accelerate_;
  std::optional<ConstraintManifold> manifold_;
  bool started_ = false;
  Vec inverse_mass_, f_, w_, z_, a_, zero_, moved_, f_ahead_, f_behind_, multipliers_;
};
}  // namespace trill
