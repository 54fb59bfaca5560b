// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "trill/base/types.hpp"

namespace trill {
// Weights at the 2 half + 1 points -1, ..., 1, with the sum 1, for averages that take a fast oscillation out of a
// motion and leave its slow part: (1 - x^2)^8, whose response falls with the ninth power of the frequency, times an
// even polynomial that makes the moments of order 2 and 4 nothing, so that polynomials up to degree 5 pass.
Vec flat_window(Index half);
}  // namespace trill
