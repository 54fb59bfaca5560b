// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "trill/linalg/matrix_slot.hpp"

namespace trill {
// The sum of squares of each row.
void row_squares(const MatrixSlot& a, Out squares);
Vec row_squares(const MatrixSlot& a);
}  // namespace trill
