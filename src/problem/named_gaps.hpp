// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "trill/problem/mechanical.hpp"

#include <string>
#include <vector>

namespace trill {
// A mechanical problem that knows to which group of forces each row of its strong potential belongs, so that gaps can
// be named by their groups: "bonds+angles".
class NamedGaps {
 public:
  virtual ~NamedGaps() = default;
  virtual const std::vector<Groups>& group_of_gap() const = 0;
  // Why the gaps of these groups cannot all be closed at once, with their names; empty: no reason is known.
  virtual std::string over_determined(Groups) const { return ""; }
  // Why forces of these groups have no gaps, with their names; empty: no reason is known.
  virtual std::string without_gaps(Groups) const { return ""; }
};
}  // namespace trill
