// SPDX-License-Identifier: BSD-3-Clause
#include "linalg/dense_decompositions.hpp"
#include "linalg/eigenpairs.hpp"

#include <stdexcept>

#include <Eigen/Eigenvalues>

namespace trill {
GeneralEigen general_eigen(const Mat& a, bool with_vectors) {
  const Eigen::EigenSolver<Mat> solver(a, with_vectors);
  GeneralEigen found;
  found.converged = solver.info() == Eigen::Success;
  if (!found.converged) return found;
  found.values = solver.eigenvalues();
  if (with_vectors) found.vectors = solver.eigenvectors();
  return found;
}

Eigenvalues eigenvalues(const Mat& a) {
  if (a.rows() != a.cols()) throw std::invalid_argument("eigenvalues: the matrix must be square");
  Eigenvalues result;
  result.converged = a.rows() == 0;
  if (result.converged) return result;
  if (!a.allFinite()) {
    result.message = "the matrix contains values that are not finite";
    return result;
  }
  GeneralEigen found = general_eigen(a, false);
  result.converged = found.converged;
  if (!found.converged) result.message = "the QR iteration did not converge";
  result.values = std::move(found.values);
  return result;
}
}  // namespace trill
