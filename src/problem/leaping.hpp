// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "trill/problem/state.hpp"

namespace trill {
// A problem whose unknowns may have to jump where no switch turns. In a circuit transistors, or formulas, that feed
// back on each other without capacitances have several states, and the present one may cease to exist: a multivibrator
// or a Schmitt trigger tips over.
class Leaping {
 public:
  // Moves s by the short time dt to the state into which the motion tips over, or along the present one if that still
  // exists. false: none was found.
  virtual bool leap(double dt, State& s) const = 0;

 protected:
  ~Leaping() = default;
};
}  // namespace trill
