// SPDX-License-Identifier: BSD-3-Clause
#include "multiscale/cycle_history.hpp"

#include <algorithm>

namespace trill {
void CycleHistory::push(double n, In value) {
  for (Index k = n_.size() - 1; k > 0; --k) {
    n_[k] = n_[k - 1];
    values_.col(k) = values_.col(k - 1);
  }
  n_[0] = n;
  values_.col(0) = value;
  count_ = std::min(count_ + 1, static_cast<int>(n_.size()));
}

// Lagrange's form, without memory of its own.
void CycleHistory::extrapolate(double n, int points, Out value) const {
  value.setZero();
  for (int j = 0; j < points; ++j) {
    double weight = 1;
    for (int k = 0; k < points; ++k)
      if (k != j) weight *= (n - n_[k]) / (n_[j] - n_[k]);
    value += weight * values_.col(j);
  }
}
}  // namespace trill
