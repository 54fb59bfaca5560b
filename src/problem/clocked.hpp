// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "trill/problem/problem.hpp"

#include <optional>

namespace trill {
// A problem that may be driven with a period which it states, such as by sin(omega t).
class Clocked {
 public:
  virtual std::optional<double> drive_period() const = 0;  // the shortest one; none: nothing drives it

 protected:
  ~Clocked() = default;
};

inline std::optional<double> drive_period_of(const Problem& problem) {
  const auto* clocked = dynamic_cast<const Clocked*>(&problem);
  return clocked ? clocked->drive_period() : std::nullopt;
}
}  // namespace trill
