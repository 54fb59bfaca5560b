// SPDX-License-Identifier: BSD-3-Clause
#include "trill/driver/driver.hpp"

#include "driver/run.hpp"

namespace trill {
Solution integrate(const Problem& problem, Stepper& stepper, State start, double t_end, const DriverOptions& options) {
  return Run(problem, stepper, std::move(start), t_end, options).go();
}
}  // namespace trill
