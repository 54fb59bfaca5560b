// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "trill/base/types.hpp"

namespace trill {
// A method whose values inside a step cost work, but which has those of its stages at hand. They are good enough to see
// that no switch turned in a step.
class HasStageValues {
 public:
  virtual Index inner_stages() const = 0;
  virtual double stage_place(Index stage) const = 0;  // in the last step, between 0 and 1
  virtual void stage_value(Index stage, Out y) const = 0;

 protected:
  ~HasStageValues() = default;
};
}  // namespace trill
