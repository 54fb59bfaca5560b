// SPDX-License-Identifier: BSD-3-Clause
#include "linalg/row_squares.hpp"

namespace trill {
void row_squares(const MatrixSlot& a, Out squares) {
  squares.setZero();
  if (a.is_sparse()) {
    for (Index j = 0; j < a.cols(); ++j)
      for (SpMat::InnerIterator it(a.as_sparse(), j); it; ++it) squares[it.row()] += it.value() * it.value();
    return;
  }
  const double* value = a.values();
  for (Index j = 0; j < a.cols(); ++j)
    for (Index i = 0; i < a.rows(); ++i, ++value) squares[i] += *value * *value;
}

Vec row_squares(const MatrixSlot& a) {
  Vec squares(a.rows());
  row_squares(a, squares);
  return squares;
}
}  // namespace trill
