// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "trill/base/types.hpp"

#include <vector>

namespace trill {
class ChargeCoordinates;
class CycleTape;

// Of the oscillations that are faster than the steps of a cycle, the one that decays most slowly. Steps damp what they
// do not resolve, so that its multiplier does not show in their derivatives.
struct FastOscillation {
  double size = 0;  // of its multiplier, from its mean growth rate: it sees slow changes as a slow change of itself
  double frequency = 0;  // as an angular frequency; 0: there is none
};

// Looks at the eigenvalues of a few steps of a cycle.
class FastOscillations {
 public:
  void watch(Vec sizes) { sizes_ = std::move(sizes); }  // from the next cycle on
  void begin(double period);
  // last: a tape whose first entry is the step just made.
  void look(CycleTape& last, const ChargeCoordinates& coordinates, double h);
  FastOscillation slowest() const;

 private:
  struct Look {
    Eigen::VectorXcd rates;
    double weight;
  };
  Vec sizes_;  // empty: nobody asked
  double period_ = 1, longest_step_ = 0, since_ = 0;
  std::vector<Look> looks_;
};
}  // namespace trill
