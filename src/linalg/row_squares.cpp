// SPDX-License-Identifier: BSD-3-Clause
#include "linalg/row_squares.hpp"

namespace trill {
void row_squares(const MatrixSlot& a, Out squares) {
  squares.setZero();
  for (Index j = 0; j < a.cols(); ++j) {
    if (a.is_sparse()) {
      for (SpMat::InnerIterator it(a.as_sparse(), j); it; ++it) squares[it.row()] += it.value() * it.value();
    } else {
      for (Index i = 0; i < a.rows(); ++i) squares[i] += a.as_dense()(i, j) * a.as_dense()(i, j);
    }
  }
}

Vec row_squares(const MatrixSlot& a) {
  Vec squares(a.rows());
  row_squares(a, squares);
  return squares;
}
}  // namespace trill
