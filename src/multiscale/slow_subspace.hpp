// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "linalg/krylov.hpp"
#include "trill/base/archive.hpp"

#include <vector>

namespace trill {
// The linear systems of cycles: D own^T - A D image^T = R with the derivative A of a cycle. D has one column for each
// cycle that is solved for at once; own and image are small square matrices. A periodic motion has own = image = 1, a
// step over many cycles w = base + a (P(w) - w) has own = 1 + a and image = a.
struct CycleWeights {
  Mat own = Mat::Ones(1, 1), image = Mat::Ones(1, 1);
};

// The directions that a map A changes little from cycle to cycle, found from products with A. A product stays in use
// after A has changed a little, and whatever the weights are: I - A and I - a (A - I) share their Krylov spaces.
// Together they are an approximate inverse that needs no further product (the projection of Newton-Picard methods,
// Shroff & Keller 1993, Lust et al. 1997), a preconditioner for the next system.
class SlowSubspace final : public LinearOperator {
 public:
  explicit SlowSubspace(Index size) : size_(size), directions_(size, 0), images_(size, 0) {}
  void pose(const CycleWeights& weights);
  Index size() const override { return size_ * weights_.own.rows(); }
  Index dimension() const { return directions_.cols(); }
  const Mat& directions() const { return directions_; }  // orthonormal
  const Mat& images() const { return images_; }
  void forget() { directions_ = images_ = Mat(size_, 0); }
  // Takes in products A x = y; the newest ones count where they contradict older ones.
  void take(const std::vector<Vec>& x, const std::vector<Vec>& y);
  // Every component is measured in another unit from now on; there may be fewer factors than components.
  void rescale(In factors);
  // The approximate solution D of the system with R = x, column after column.
  void apply(In x, Out y) override;
  void memory(Archive& archive);

 private:
  void append(Vec x, Vec y);
  void keep_slowest();
  void invert();

  Index size_;
  CycleWeights weights_;
  Mat own_inverse_ = Mat::Ones(1, 1);
  Mat directions_, images_;  // orthonormal columns v, and A v
  Mat inverse_;              // of the system within the directions
};
}  // namespace trill
