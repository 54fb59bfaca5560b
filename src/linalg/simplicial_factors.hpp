// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "linalg/sparse_factors.hpp"

namespace trill {
// By Eigen, without exchange of rows, for those who need the pivots themselves.
class SimplicialFactors final : public SparseFactors {
 public:
  explicit SimplicialFactors(const SpMat& a);
  ~SimplicialFactors() override;

  const Vec& pivots() const { return pivots_; }  // the diagonal of D; empty if it did not succeed
  bool succeeded() const override { return pivots_.size() == size_; }
  Index negative_pivots() const override { return (pivots_.array() < 0).count(); }
  bool has_rounded_pivot() const override { return rounded_; }
  double bytes() const override;
  void solve(Mat& x) const override;

 private:
  struct Ldlt;
  std::unique_ptr<Ldlt> ldlt_;
  Index size_;
  Vec pivots_;
  bool rounded_ = false;
};
}  // namespace trill
