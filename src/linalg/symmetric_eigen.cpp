// SPDX-License-Identifier: BSD-3-Clause
#include "linalg/dense_decompositions.hpp"
#include "linalg/eigenpairs.hpp"

#include <algorithm>
#include <stdexcept>

#include <Eigen/Eigenvalues>

namespace trill {
// Eigen's SelfAdjointEigenSolver put together from its parts, because the original allocates memory in every call for
// the product of reflections.
struct SymmetricEigen::Solver {
  explicit Solver(Index n) : values(n), beside(beside_size(n)), coefficients(beside_size(n)), work(n), vectors(n, n) {}
  static Index beside_size(Index n) { return std::max<Index>(n - 1, 0); }

  void tridiagonalise(const Mat& a) {
    vectors = a.triangularView<Eigen::Lower>();
    scale = vectors.cwiseAbs().maxCoeff();
    if (scale == 0) scale = 1;
    vectors.triangularView<Eigen::Lower>() /= scale;
    coefficients.resize(a.rows() - 1);
    Eigen::internal::tridiagonalization_inplace(vectors, coefficients);
    values = vectors.diagonal();
    beside = vectors.diagonal<-1>();
    using Reflections = Eigen::HouseholderSequence<Mat, Vec>;
    Reflections(vectors, coefficients).setLength(a.rows() - 1).setShift(1).evalTo(vectors, work);
  }

  bool iterate() {
    constexpr Index max_iterations = 30;  // per eigenvalue
    const auto info = Eigen::internal::computeFromTridiagonal_impl(values, beside, max_iterations, true, vectors);
    return info == Eigen::Success;
  }

  Vec values, beside, coefficients, work;
  Mat vectors;
  double scale = 1;
};

SymmetricEigen::SymmetricEigen(Index n) : solver_(std::make_unique<Solver>(n)) {}
SymmetricEigen::~SymmetricEigen() = default;
SymmetricEigen::SymmetricEigen(SymmetricEigen&&) noexcept = default;
SymmetricEigen& SymmetricEigen::operator=(SymmetricEigen&&) noexcept = default;

bool SymmetricEigen::compute(const Mat& a) {
  if (a.rows() <= 1) {
    solver_->values = a.diagonal();
    solver_->vectors.setOnes(a.rows(), a.rows());
    return true;
  }
  solver_->tridiagonalise(a);
  const bool converged = solver_->iterate();
  solver_->values *= solver_->scale;
  return converged;
}

bool SymmetricEigen::compute_tridiagonal(const Vec& diagonal, const Vec& subdiagonal) {
  solver_->values = diagonal;
  solver_->beside = subdiagonal;
  solver_->vectors.setIdentity(diagonal.size(), diagonal.size());
  return solver_->iterate();
}

const Vec& SymmetricEigen::values() const { return solver_->values; }
const Mat& SymmetricEigen::vectors() const { return solver_->vectors; }

EigenPairs symmetric_eigenpairs(const Mat& k, const Mat& m) {
  if (k.rows() != k.cols() || m.rows() != m.cols() || k.rows() != m.rows())
    throw std::invalid_argument("eigenpairs: K and M must be square and of the same size");
  EigenPairs pairs;
  pairs.converged = k.rows() == 0;
  if (pairs.converged) return pairs;
  if (!k.allFinite() || !m.allFinite()) {
    pairs.message = "K or M contains values that are not finite";
    return pairs;
  }
  Cholesky factors;
  if (!factors.compute(m)) {
    pairs.message = "M is not positive definite";
    return pairs;
  }
  // L^-1 K L^-T has the same eigenvalues as the pencil, and its vectors become those of the pencil by L^-T.
  Mat reduced = k;
  factors.solve_lower(reduced);
  reduced.transposeInPlace();
  factors.solve_lower(reduced);
  SymmetricEigen solver(k.rows());
  pairs.converged = solver.compute(reduced);
  if (!pairs.converged) {
    pairs.message = "the QR iteration did not converge";
    return pairs;
  }
  pairs.values = solver.values();
  pairs.vectors = solver.vectors();
  factors.solve_transposed(pairs.vectors);
  return pairs;
}
}  // namespace trill
