// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "trill/driver/plan.hpp"

namespace trill {
// Decides whether a run whose step is known uses machine code, and records the choice in it. True: clones of the
// problem made from now on use it. UsageError if the user asked for it always and it is not available.
bool choose_native(PreparedRun& run);

// The problem with machine code that is at hand already, if there is some and it may be used: what is found out by
// short runs before a choice is then found in less time, and is what the run will take.
std::unique_ptr<Problem> with_code_at_hand(std::unique_ptr<Problem> problem, Native wanted);
}  // namespace trill
