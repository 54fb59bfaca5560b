// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "trill/driver/plan.hpp"

namespace trill {
// The run that a solution file describes, ready to be run or checked again. UsageError if the file does not hold what
// is needed: models that read other files, steady states, problems that are no models.
PreparedRun prepare_stored(const RunInfo& info);
}  // namespace trill
