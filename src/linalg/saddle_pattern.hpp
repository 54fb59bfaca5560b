// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "trill/linalg/matrix_slot.hpp"

namespace trill {
// Of [A G^T; G D], D diagonal in its first rows and zero below; dense where it is small.
MatrixSlot saddle_pattern(const MatrixSlot& a, const MatrixSlot& G, Index diagonal = 0);
bool has_sparse_saddle(const MatrixSlot& a, const MatrixSlot& G);  // that pattern is sparse
}  // namespace trill
