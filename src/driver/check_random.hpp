// SPDX-License-Identifier: BSD-3-Clause
// The check of random motion, of which only averages can be compared.
#pragma once

#include "driver/check_repetition.hpp"

namespace trill {
Trust check_random(const PreparedRun& run, const RowSource& rows, const CheckClock& clock);
}  // namespace trill
