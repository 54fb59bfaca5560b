// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "trill/base/types.hpp"

#include <vector>

namespace trill {
// A problem whose modes are switches that follow from its unknowns, as far as hysteresis does not leave them open.
class Switched {
 public:
  // Sets the modes that the unknowns determine and leaves the others as they are; false: all were right.
  virtual bool turn_switches(In x, std::vector<int>& mode) const = 0;

 protected:
  ~Switched() = default;
};
}  // namespace trill
