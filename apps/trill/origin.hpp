// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "trill/solution/solution.hpp"

namespace trill::cli {
void fill_origin(RunInfo& info);  // version, host, time
}  // namespace trill::cli
