// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "driver/measures.hpp"
#include "trill/control/advance.hpp"
#include "trill/solution/solution.hpp"

namespace trill {
struct Failure {
  RunStatus status;
  std::string advice;
};
Failure failure_of(AdvanceStatus status, const StepControl& control);

// The first component or quantity that is not finite. The state may be finite while its energy is not; such a row
// cannot be written to a file either.
std::string first_overflow(const Problem& problem, const Measures& measures, const State& s, const Vec& measured);
}  // namespace trill
