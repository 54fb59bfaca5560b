// SPDX-License-Identifier: BSD-3-Clause
// A walk over the stored entries of a matrix, dense or sparse.
#pragma once

#include "trill/linalg/matrix_slot.hpp"

namespace trill {
// Calls use(row, column, place), where place counts the values as MatrixSlot::values() stores them.
template <class Use>
void each_stored(const MatrixSlot& a, Use use) {
  Index place = 0;
  for (Index j = 0; j < a.cols(); ++j) {
    if (a.is_sparse())
      for (SpMat::InnerIterator entry(a.as_sparse(), j); entry; ++entry) use(entry.row(), j, place++);
    else
      for (Index i = 0; i < a.rows(); ++i) use(i, j, place++);
  }
}
}  // namespace trill
