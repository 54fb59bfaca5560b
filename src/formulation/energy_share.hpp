// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "trill/problem/mechanical.hpp"

#include <limits>
#include <string>

namespace trill {
// How much of the energy at the start oscillates, as a share of the recorded total energy where the model knows its
// potentials. The model chooses their zero; if that makes the total smaller than its oscillating part, or if a force
// has no potential, the share refers to an estimated energy.
struct EnergyShare {
  double fast = 0;            // energy of the oscillation
  double estimated_slow = 0;  // energy of the slow motion, from its velocities and forces
  double total = std::numeric_limits<double>::quiet_NaN();

  double value() const;
  std::string text() const;  // "0.75 of the total energy at the start"

 private:
  bool of_total() const { return total > 0 && fast <= total; }
};

// total: energy of the slow state and the oscillation together.
EnergyShare share_at_start(const MechanicalProblem& stiff, const State& slow, double kinetic, double estimated_slow,
                           double fast);
}  // namespace trill
