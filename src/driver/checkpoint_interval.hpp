// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "trill/driver/driver.hpp"

namespace trill {
// Steps from one regular checkpoint to the next. A method that cannot save its memory restarts there, and what was
// computed since has to be repeated after a crash: large systems, whose steps take long, restart more often. The number
// must not depend on the speed of the machine. A user who wants more steps than by default gets them.
inline std::int64_t checkpoint_interval(const MethodInfo& method, Index unknowns, std::int64_t wanted) {
  constexpr std::int64_t unknowns_times_steps = 4'000'000;
  // Methods of many steps need some twenty of them to reach their order and step size again.
  constexpr std::int64_t least_of_many_steps = 100;
  if (method.saves_memory || wanted > DriverOptions{}.checkpoint_every) return wanted;
  const std::int64_t least = method.owns_step || method.multistep ? least_of_many_steps : 1;
  return std::min(wanted, std::max(least, unknowns_times_steps / std::max<Index>(unknowns, 1)));
}
}  // namespace trill
