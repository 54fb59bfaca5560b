// SPDX-License-Identifier: BSD-3-Clause
#include "model/file/matrix_share.hpp"

namespace trill {
namespace {
MatrixShare& share_of_this_program() {
  static MatrixShare share;
  return share;
}
}  // namespace

SpMat MatrixShare::own_rows(const SpMat& whole) const {
  SpMat own = whole;
  const Index first = first_row(whole.rows()), end = end_row(whole.rows());
  own.prune([&](Index row, Index, double) { return row >= first && row < end; });
  return own;
}

const MatrixShare& matrix_share() { return share_of_this_program(); }

void share_matrices(MatrixShare share) { share_of_this_program() = std::move(share); }
}  // namespace trill
