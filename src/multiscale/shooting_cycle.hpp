// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "multiscale/fast_oscillations.hpp"
#include "trill/base/types.hpp"

#include <string>

namespace trill {
// One cycle as shooting needs it: P maps the state z at its start to the state at its end. A cycle can fail, because it
// is an integration of its own; functions then return false.
class ShootingCycle {
 public:
  virtual ~ShootingCycle() = default;
  virtual Index size() const = 0;
  virtual std::string component_name(Index k) const = 0;
  virtual bool advance(In z, Out end) = 0;
  virtual bool advance_with_derivative(In z, Out end, Mat& derivative) = 0;
  // The typical size of each component in the last cycle.
  virtual void sizes(Out size) const = 0;

  // The derivative at z times directions by steps of half the length, and what oscillates faster than those, which is
  // looked for if the directions are as many as the unknowns. false: not available.
  virtual bool move_in_half_steps(In /*z*/, const Mat& /*directions*/, const Vec& /*sizes*/, Mat& /*moved*/,
                                  FastOscillation& /*fast*/) {
    return false;
  }

  // For many unknowns: a cycle that is kept, so that products of its derivative with vectors can be computed.
  virtual bool has_products() const { return false; }
  virtual bool advance_and_keep(In /*z*/, Out /*end*/) { return false; }
  virtual void product(In /*v*/, Out /*derivative_v*/) {}

  // For oscillations that have no clock: the time that a cycle takes is unknown.
  virtual void set_period(double /*period*/) {}
  virtual void slope(Out /*dz_dt*/) const {}  // at the end of the last cycle
};
}  // namespace trill
