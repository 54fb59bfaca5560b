// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "trill/driver/sweep.hpp"

namespace trill {
inline constexpr const char* shared_choice_name = "choice";

// Which method trill chooses depends on measured times, but processes that share a folder must run all members alike:
// the plan by which finished members were run, or the one of the process that came first, or `chosen`, which is then
// what the others take.
RunPlan shared_choice(const Sweep& sweep, const RunPlan& chosen, const std::string& version);
}  // namespace trill
