// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "problem/charge_split.hpp"
#include "trill/problem/circuit.hpp"

namespace trill {
// The charges and fluxes of a circuit that are independent of each other, and the others as combinations of them.
class ChargeCoordinates {
 public:
  // Which are independent is decided at these values.
  ChargeCoordinates(const CircuitProblem& problem, double t, In x);
  Index all() const { return split_.size(); }
  Index independent() const { return static_cast<Index>(rows_.size()); }
  Index row(Index k) const { return rows_[static_cast<std::size_t>(k)]; }
  void reduce(In charges, Out z) const;
  void complete(In z, Out charges) const;
  void complete_direction(In dz, Out dcharges) const;  // the derivative of complete()
  // The largest entries of the rows of the capacitance matrix: what a unit of an unknown makes of a charge.
  const Vec& capacity() const { return capacity_; }

 private:
  ChargeSplit split_;
  std::vector<Index> rows_;
  Vec constants_;  // of the combinations in which the charges cancel
  Vec capacity_;
};
}  // namespace trill
