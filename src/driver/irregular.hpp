// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "trill/base/types.hpp"

#include <cmath>

namespace trill {
// Between 0.5 and 1.5 without a pattern: directions made of these numbers are special for no model.
inline double irregular(Index i) { return 0.5 + std::fmod(0.6180339887498949 * static_cast<double>(i + 1), 1.0); }
}  // namespace trill
