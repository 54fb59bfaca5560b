// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "trill/linalg/matrix_slot.hpp"

#include <vector>

namespace trill {
// S = A D B^T for a diagonal D and sparse A and B of the same pattern: products of rows that share a column. The
// position of each product in S is determined once.
class RowProducts {
 public:
  RowProducts() = default;
  explicit RowProducts(const MatrixSlot& factors);
  const MatrixSlot& pattern() const { return pattern_; }  // of S
  void form(const MatrixSlot& A, In d, const MatrixSlot& B, MatrixSlot& S) const;

 private:
  MatrixSlot pattern_;
  std::vector<Index> places_;
};
}  // namespace trill
