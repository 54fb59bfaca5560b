// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "trill/base/archive.hpp"
#include "trill/base/types.hpp"

namespace trill {
// The last values of something at points of the quasi-envelope, newest first, and the polynomials through them.
class CycleHistory {
 public:
  CycleHistory() = default;
  CycleHistory(Index size, int most) : n_(Vec::Zero(most)), values_(Mat::Zero(size, most)) {}
  void clear() { count_ = 0; }
  void push(double n, In value);
  int count() const { return count_; }
  double n(int back) const { return n_[back]; }
  auto value(int back) const { return values_.col(back); }
  // The value at n of the polynomial through the newest points; there must be as many.
  void extrapolate(double n, int points, Out value) const;
  void memory(Archive& archive) { archive(n_, values_, count_); }

 private:
  Vec n_;
  Mat values_;
  int count_ = 0;
};
}  // namespace trill
