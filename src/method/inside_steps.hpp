// SPDX-License-Identifier: BSD-3-Clause
#pragma once

namespace trill {
// A method whose steps may be accurate at their ends and not between them. Before a step it is told whether values
// inside it are going to be used, for rows or events; its error test then looks at them too.
class ControlsInside {
 public:
  virtual void values_inside_are_used(bool used) = 0;

 protected:
  ~ControlsInside() = default;
};
}  // namespace trill
