// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "trill/base/notes.hpp"
#include "trill/problem/state.hpp"

#include <string>

namespace trill {
// A problem whose equations hold only near some states, such as those of a beam with small slopes. A run asks after
// every step.
class LimitedValidity {
 public:
  virtual ~LimitedValidity() = default;
  virtual bool has_limits() const = 0;
  // Raises a notice where the equations become inaccurate. A sentence where they mean nothing any more, otherwise "".
  virtual std::string check_validity(const State& s, Notes& notes) const = 0;
};
}  // namespace trill
