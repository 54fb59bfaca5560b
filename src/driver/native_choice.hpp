// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "trill/driver/plan.hpp"

namespace trill {
// Decides whether a run whose step is known uses machine code, and records the choice in it. True: clones of the
// problem made from now on use it. UsageError if the user asked for it always and it is not available.
bool choose_native(PreparedRun& run);
}  // namespace trill
