// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "trill/driver/plan.hpp"

namespace trill {
// Decides on machine code for a run whose step is known, and notes the choice in it. True: clones of the problem made
// from now on have it. UsageError when it is always wanted and cannot be had.
bool choose_native(PreparedRun& run);
}  // namespace trill
