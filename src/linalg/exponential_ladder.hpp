// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "trill/base/types.hpp"

#include <vector>

namespace trill {
// exp(h A) for many lengths h >= 0, one product with a vector for each binary digit of h |A|: exponentials for a short
// time and its doubles, which are squares of each other, and a Taylor series for what is left.
class ExponentialLadder {
 public:
  ExponentialLadder() = default;
  explicit ExponentialLadder(Mat a);

  void move(double h, Vec& x);  // x becomes exp(h A) x
  Mat matrix(double h);         // exp(h A)
  // Moves by so little that two terms of the series are the whole of it; false, and x is as it was, if h is longer.
  bool nudge(double h, Vec& x) const;

 private:
  template <class Apply>
  double climb(double h, const Apply& apply);

  Mat a_;
  double norm_ = 0, unit_ = 0;
  std::vector<Mat> rungs_;  // exp(unit 2^k A)
  Vec term_, moved_;
};
}  // namespace trill
