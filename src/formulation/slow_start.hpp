// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "formulation/slow_system.hpp"

namespace trill {
// The parts of an oscillating state: a slow state on the manifold of the system's order, and the actions and phases of
// the fast modes.
struct MatchedStart {
  Vec q, v, actions, phases;
  Vec frequencies;
  double open = 0;                     // largest gap of the given state
  double fast_energy = 0, energy = 0;  // energy of the modes, and total; energy is NaN where a force has no potential
  double balance = 1;                  // factor by which the actions were scaled to make the energies agree
  bool balanced = false;
};

// In closed form: averages over the phases of the fast modes to second order in their amplitudes. UsageError if the
// state cannot be moved onto the manifold.
MatchedStart match_start(const SlowSystem& slow, const State& given);

// By averages over a time window around the start, in which the stiff motion is integrated.
MatchedStart average_start(const SlowSystem& slow, const State& given);
double forces_of_average_start(double ratio);  // evaluations; ratio: of the fastest frequency of gaps to the slowest

// The nearest point with closed gaps in the metric of the mass, the velocity projected, without actions.
MatchedStart project_start(const SlowSystem& slow, const State& given);
}  // namespace trill
