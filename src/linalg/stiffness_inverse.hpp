// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "linalg/sparse_cholesky.hpp"

#include <optional>
#include <vector>

namespace trill {
// K^-1, or, for a body that is not held, the inverse on what is M-orthogonal to its motions without strain.
//
// A load that balances has a static answer with some unknowns held so that the body cannot move, as many as there are
// such motions; it differs from the one wanted by a motion without strain alone, which is taken out. Other loads are
// balanced first by the inertia of the whole body.
class StiffnessInverse {
 public:
  explicit StiffnessInverse(const SpMat& k) : factors_(std::in_place, k) {}
  // `rigid`: M-orthonormal.
  StiffnessInverse(const SpMat& k, const SpMat& m, const Mat& rigid);

  const SparseCholesky& factors() const { return *factors_; }
  const Mat& rigid() const { return rigid_; }
  Mat balanced(Mat loads) const;  // without the share that moves the whole body
  Mat solve(const Mat& b) const;

 private:
  Mat rigid_, momentum_;  // momentum_: M rigid_
  std::vector<Index> held_;
  std::optional<SparseCholesky> factors_;
};
}  // namespace trill
