// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "trill/driver/plan.hpp"

#include <filesystem>
#include <vector>

namespace trill {
// The run that a solution file describes, ready to be run or checked again. Files that its model reads are looked for
// in `folders`. UsageError if these are missing or have changed, for steady states, and for problems that are no
// models.
PreparedRun prepare_stored(const RunInfo& info, const std::vector<std::filesystem::path>& folders = {});
// What its model is run with by default.
RunDefaults stored_defaults(const RunInfo& info, const std::vector<std::filesystem::path>& folders = {});
}  // namespace trill
