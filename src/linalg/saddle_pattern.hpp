// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "trill/linalg/matrix_slot.hpp"

namespace trill {
// Pattern of [A G^T; G D], where D has `diagonal` diagonal entries in its first rows and is zero below; dense if small.
MatrixSlot saddle_pattern(const MatrixSlot& a, const MatrixSlot& G, Index diagonal = 0);
bool has_sparse_saddle(const MatrixSlot& a, const MatrixSlot& G);  // is that pattern sparse?
}  // namespace trill
