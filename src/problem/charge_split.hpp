// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "trill/linalg/matrix_slot.hpp"

#include <vector>

namespace trill {
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
