// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "trill/linalg/matrix_slot.hpp"

#include <vector>

namespace trill {
// Entries of the inverse of a symmetric positive definite matrix, at the places of the matrix itself, and its
// determinant: A = L D L^T, and from the last column to the first by the recursion of Takahashi, Fagan and Chen (1973).
// For a band the work grows with the number of rows. All memory is allocated in the constructor.
class SelectedInverse {
 public:
  SelectedInverse() = default;
  explicit SelectedInverse(const MatrixSlot& pattern);
  bool factorise(const MatrixSlot& a);  // false: not positive definite
  double log_determinant() const;
  void fill(MatrixSlot& inverse);  // with the pattern of the matrix; after factorise()

 private:
  void find_order(const MatrixSlot& pattern);
  void find_columns(const MatrixSlot& pattern);
  void find_pairs();
  void find_places(const MatrixSlot& pattern);
  Index place_of(Index i, Index j) const;  // in values_, of an entry of the lower triangle

  // Values: the diagonal first, then the columns of L below it.
  Index n_ = 0;
  std::vector<Index> order_;               // new number of each row
  std::vector<Index> begin_, rows_;        // columns of L: rows_[begin_[k] .. begin_[k + 1]), ascending
  std::vector<Index> pair_begin_, pairs_;  // places of (i, j) for i >= j in column k, row by row
  std::vector<Index> stored_;              // place of each stored value of the matrix
  std::vector<double> values_, inverse_, column_;
};
}  // namespace trill
