// SPDX-License-Identifier: BSD-3-Clause
#include "formulation/energy_share.hpp"

#include <fmt/format.h>

namespace trill {
double EnergyShare::value() const {
  if (!(fast > 0)) return 0;
  return fast / (of_total() ? total : fast + estimated_slow);
}

std::string EnergyShare::text() const {
  return fmt::format(
      "{:.2g} of the {}", value(),
      of_total() ? "total energy at the start" : "energy at the start (estimated from slow velocities and forces)");
}

EnergyShare share_at_start(const MechanicalProblem& stiff, const State& slow, double kinetic, double estimated_slow,
                           double fast) {
  EnergyShare share{.fast = fast, .estimated_slow = estimated_slow};
  if (const auto potential = stiff.potential(all_groups, slow.t, slow.q())) share.total = *potential + kinetic + fast;
  return share;
}
}  // namespace trill
