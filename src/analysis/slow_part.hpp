// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "trill/solution/solution.hpp"

namespace trill {
// Averages that remove a fast oscillation from a motion and leave its slow part unchanged.
class FlatWindow {
 public:
  // slowest: angular frequency of the slowest oscillation that is to be removed. The window extends over `periods` of
  // it to each side, with `samples` in each.
  explicit FlatWindow(double slowest, int periods = 16, int samples = 40);
  double half_width() const { return half_width_; }

  // The times at which the motion must be known for averages around these centres, which must be increasing.
  std::vector<double> times(const std::vector<double>& centres) const;
  // The averages of a solution recorded at these times, one column for each centre.
  Mat averages(const Solution& solution, const std::vector<double>& centres) const;

 private:
  double time(double centre, Index k) const;

  double half_width_;
  Vec weights_;
};
}  // namespace trill
