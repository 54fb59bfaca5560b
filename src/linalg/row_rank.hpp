// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "trill/linalg/matrix_slot.hpp"

#include <vector>

namespace trill {
// A row that is a linear combination of others, which are listed with the largest coefficients first.
struct DependentRow {
  Index row = 0;
  std::vector<Index> of;
};

// The rows of a matrix that depend on the rows before them and can be left out without loss. Rows are scaled to length
// 1; a row counts as dependent if what the others do not explain is at most `tolerance`. Small matrices: QR of the
// transpose with column pivoting. Large ones: one sparse factorisation of A A^T, which cannot resolve anything below
// 1e-6. At most `most` rows are returned.
std::vector<DependentRow> dependent_rows(const MatrixSlot& a, double tolerance, Index most = 32);
Index row_rank(const MatrixSlot& a, double tolerance);  // number of the other rows

}  // namespace trill
