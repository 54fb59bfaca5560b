// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "trill/linalg/matrix_slot.hpp"

#include <vector>

namespace trill {
// A row that is a combination of others, which are listed by their size in it.
struct DependentRow {
  Index row = 0;
  std::vector<Index> of;
};

// The rows of a matrix that can be left out without loss: the last ones that follow from those before them. Rows are
// scaled to length 1; what is left of a row beside the others counts as nothing up to the tolerance. Small
// matrices: QR of the transpose with column pivoting. Large ones: one sparse factorisation of A A^T, which sees nothing
// below 1e-6. At most `most` rows are told.
std::vector<DependentRow> dependent_rows(const MatrixSlot& a, double tolerance, Index most = 32);
Index row_rank(const MatrixSlot& a, double tolerance);  // how many are left without those

}  // namespace trill
