// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "trill/base/types.hpp"

namespace trill {
// Weights at the 2 half + 1 points -1, ..., 1, with the sum 1, for averages that remove a fast oscillation from a
// motion and keep its slow part: (1 - x^2)^8, whose response falls with the ninth power of the frequency, times an
// even polynomial that makes the moments of order 2 and 4 zero, so that polynomials up to degree 5 are kept exactly.
Vec flat_window(Index half);
}  // namespace trill
