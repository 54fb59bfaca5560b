// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "trill/problem/mechanical.hpp"

#include <limits>
#include <string>

namespace trill {
// How much of the energy at the start oscillates: a share of the total energy, as it is recorded, where the model knows
// its potentials. These have a zero that the model chooses; where it makes the total smaller than its part, or where a
// force has no potential, the share is one of an estimated energy.
struct EnergyShare {
  double fast = 0;            // of the oscillation
  double estimated_slow = 0;  // of the slow motion, from its velocities and forces
  double total = std::numeric_limits<double>::quiet_NaN();

  double value() const;
  std::string text() const;  // "0.75 of the total energy at the start"

 private:
  bool of_total() const { return total > 0 && fast <= total; }
};

// total: of the slow state and the oscillation together.
EnergyShare share_at_start(const MechanicalProblem& stiff, const State& slow, double kinetic, double estimated_slow,
                           double fast);
}  // namespace trill
