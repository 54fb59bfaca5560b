// SPDX-License-Identifier: BSD-3-Clause
#include "linalg/sparse_cholesky.hpp"

#include <Eigen/SparseCholesky>

namespace trill {
struct SparseCholesky::Factors {
  explicit Factors(const SpMat& a) : ldlt(a) {}
  Eigen::SimplicialLDLT<SpMat> ldlt;
};

SparseCholesky::SparseCholesky(const SpMat& a) : factors_(std::make_unique<Factors>(a)) {}
SparseCholesky::~SparseCholesky() = default;

bool SparseCholesky::succeeded() const { return factors_->ldlt.info() == Eigen::Success; }

bool SparseCholesky::is_positive_definite() const {
  return succeeded() && (factors_->ldlt.vectorD().array() > 0).all();
}

Vec SparseCholesky::pivots() const { return factors_->ldlt.vectorD(); }
Mat SparseCholesky::solve(const Mat& b) const { return factors_->ldlt.solve(b); }
Vec SparseCholesky::solve(const Vec& b) const { return factors_->ldlt.solve(b); }
}  // namespace trill
