// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "linalg/krylov.hpp"

#include <vector>

namespace trill {
// The directions that a map A changes little from cycle to cycle, found from products with A. A product stays in use
// after A has changed a little: together they are an approximate inverse of I - A that needs no further product (the
// projection of Newton-Picard methods, Shroff & Keller 1993, Lust et al. 1997), a preconditioner for the next system.
class SlowSubspace final : public LinearOperator {
 public:
  explicit SlowSubspace(Index size) : size_(size), directions_(size, 0), images_(size, 0) {}
  Index size() const override { return size_; }
  Index dimension() const { return directions_.cols(); }
  // Takes in products A x = y; the newest ones count where they contradict older ones.
  void take(const std::vector<Vec>& x, const std::vector<Vec>& y);
  // Every component is measured in another unit from now on; there may be fewer factors than components.
  void rescale(In factors);
  // The approximate (I - A)^-1 x.
  void apply(In x, Out y) override;

 private:
  void append(Vec x, Vec y);
  void keep_slowest();

  Index size_;
  Mat directions_, images_;  // orthonormal columns v, and A v
  Mat inverse_;              // (I - V^T A V)^-1
};
}  // namespace trill
