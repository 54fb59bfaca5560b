// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "formulation/slow_system.hpp"

namespace trill {
// An event has changed the forces, and with them the gaps about which the oscillation goes on. Moves a state of the
// slow system onto its manifold as it is now and gives the modes their mean actions over all phases. Returns the energy
// by which a motion of one phase may differ from that mean; it is 0 for order 0, whose gaps are closed.
double jolt(const SlowSystem& slow, State& s);
}  // namespace trill
