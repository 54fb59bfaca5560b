// SPDX-License-Identifier: BSD-3-Clause
#include "linalg/dense_decompositions.hpp"
#include "linalg/eigenpairs.hpp"

#include <stdexcept>

#include <Eigen/Eigenvalues>

namespace trill {
struct SymmetricEigen::Solver {
  explicit Solver(Index n) : eigen(n) {}
  Eigen::SelfAdjointEigenSolver<Mat> eigen;
};

SymmetricEigen::SymmetricEigen(Index n) : solver_(std::make_unique<Solver>(n)) {}
SymmetricEigen::~SymmetricEigen() = default;
SymmetricEigen::SymmetricEigen(SymmetricEigen&&) noexcept = default;
SymmetricEigen& SymmetricEigen::operator=(SymmetricEigen&&) noexcept = default;

bool SymmetricEigen::compute(const Mat& a) { return solver_->eigen.compute(a).info() == Eigen::Success; }

bool SymmetricEigen::compute_tridiagonal(const Vec& diagonal, const Vec& subdiagonal) {
  return solver_->eigen.computeFromTridiagonal(diagonal, subdiagonal).info() == Eigen::Success;
}

const Vec& SymmetricEigen::values() const { return solver_->eigen.eigenvalues(); }
const Mat& SymmetricEigen::vectors() const { return solver_->eigen.eigenvectors(); }

EigenPairs symmetric_eigenpairs(const Mat& k, const Mat& m) {
  if (k.rows() != k.cols() || m.rows() != m.cols() || k.rows() != m.rows())
    throw std::invalid_argument("eigenpairs: K and M must be square and of one size");
  EigenPairs pairs;
  pairs.converged = k.rows() == 0;
  if (pairs.converged) return pairs;
  if (!k.allFinite() || !m.allFinite()) {
    pairs.message = "K or M is not finite";
    return pairs;
  }
  // Eigen's generalised solver does not look at the outcome of its Cholesky step
  if (!Cholesky().compute(m)) {
    pairs.message = "M is not positive definite";
    return pairs;
  }
  const Eigen::GeneralizedSelfAdjointEigenSolver<Mat> solver(k, m);
  pairs.converged = solver.info() == Eigen::Success;
  if (!pairs.converged) {
    pairs.message = "the QR iteration did not converge";
    return pairs;
  }
  pairs.values = solver.eigenvalues();
  pairs.vectors = solver.eigenvectors();
  return pairs;
}
}  // namespace trill
