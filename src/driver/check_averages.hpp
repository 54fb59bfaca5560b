// SPDX-License-Identifier: BSD-3-Clause
// The check of random and of chaotic motion, of which only averages can be compared.
#pragma once

#include "driver/check_repetition.hpp"

namespace trill {
// In a heat bath, or of a motion that conserves its energy.
bool compares_averages(const PreparedRun& run);  // rather than paths
Trust check_averages(const PreparedRun& run, const RowSource& rows, const CheckClock& clock);

// Averages over any other motion, with the errors that come from its finite length, as a sentence.
std::string averages_text(const PreparedRun& run);
}  // namespace trill
