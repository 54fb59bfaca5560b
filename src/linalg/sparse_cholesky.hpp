// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "trill/base/types.hpp"

#include <memory>

namespace trill {
// A = L D L^T of a symmetric sparse A, without pivoting. Eigen's class is hidden because it takes long to compile.
class SparseCholesky {
 public:
  explicit SparseCholesky(const SpMat& a);
  ~SparseCholesky();
  SparseCholesky(const SparseCholesky&) = delete;
  SparseCholesky& operator=(const SparseCholesky&) = delete;

  bool succeeded() const;  // no pivot was zero
  bool is_positive_definite() const;
  const Vec& pivots() const;      // the diagonal of D; empty if it did not succeed
  Mat solve(const Mat& b) const;  // several right-hand sides at once take less time each
  Vec solve(const Vec& b) const;

 private:
  struct Factors;
  std::unique_ptr<Factors> factors_;
};
}  // namespace trill
