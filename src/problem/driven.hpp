// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "trill/problem/problem.hpp"

#include <optional>

namespace trill {
// A problem that may be driven with a period which it states, such as by sin(omega t).
class Driven {
 public:
  virtual std::optional<double> drive_period() const = 0;  // the shortest one; none: nothing drives it

 protected:
  ~Driven() = default;
};

inline std::optional<double> drive_period_of(const Problem& problem) {
  const auto* driven = dynamic_cast<const Driven*>(&problem);
  return driven ? driven->drive_period() : std::nullopt;
}
}  // namespace trill
