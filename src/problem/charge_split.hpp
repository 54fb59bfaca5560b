// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "trill/linalg/matrix_slot.hpp"

#include <vector>

namespace trill {
// Calls use(row, column, place among the stored values) for every stored entry.
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

// The equations of a circuit, sorted into those that keep a charge of their own and those without: equations whose
// charges depend on others are replaced by combinations in which the charges cancel. What is left of a combination is
// algebraic: its currents vanish at every time.
class ChargeSplit {
 public:
  struct Share {
    Index equation;
    double weight;
  };
  explicit ChargeSplit(const MatrixSlot& dcharge);
  Index size() const { return static_cast<Index>(combinations_.size()); }
  Index algebraic() const { return algebraic_; }
  bool keeps_charge(Index row) const { return combinations_[static_cast<std::size_t>(row)].empty(); }
  // The equations of which row k is made if it is algebraic; the first is equation k itself.
  const std::vector<Share>& combination(Index row) const { return combinations_[static_cast<std::size_t>(row)]; }

 private:
  struct Block;
  void take(const Block& block);
  void eliminate(const Block& block);
  std::vector<std::vector<Share>> combinations_;
  Index algebraic_ = 0;
};

// Which unknowns occur in a charge.
std::vector<bool> charged_unknowns(const MatrixSlot& dcharge);
}  // namespace trill
