// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "trill/base/types.hpp"

#include <memory>

// Eigen's dense decompositions behind plain classes and functions: each takes seconds to compile wherever it is
// instantiated, so this is done only once.
namespace trill {
// A = V diag(values) V^T for a symmetric A, whose lower triangle is read; ascending values, orthonormal columns.
class SymmetricEigen {
 public:
  explicit SymmetricEigen(Index n = 0);  // allocates for matrices of this size
  ~SymmetricEigen();
  SymmetricEigen(SymmetricEigen&&) noexcept;
  SymmetricEigen& operator=(SymmetricEigen&&) noexcept;

  // These allocate only if the size changes. false: the iteration did not converge.
  bool compute(const Mat& a);
  bool compute_tridiagonal(const Vec& diagonal, const Vec& subdiagonal);
  const Vec& values() const;
  const Mat& vectors() const;

 private:
  struct Solver;
  std::unique_ptr<Solver> solver_;
};

// A = L L^T for a symmetric positive definite A, whose lower triangle is read.
class Cholesky {
 public:
  explicit Cholesky(Index n = 0);  // allocates for matrices of this size
  ~Cholesky();
  Cholesky(Cholesky&&) noexcept;
  Cholesky& operator=(Cholesky&&) noexcept;

  bool compute(const Mat& a);           // allocates only if the size changes; false: A is not positive definite
  void solve(Mat& b) const;             // b becomes A^-1 b
  void solve_lower(Mat& b) const;       // L^-1 b
  void solve_transposed(Mat& b) const;  // L^-T b

 private:
  struct Factors;
  std::unique_ptr<Factors> factors_;
};

// Eigenvalues of any square matrix and, on request, its eigenvectors as columns.
struct GeneralEigen {
  bool converged = false;
  Eigen::VectorXcd values;
  Eigen::MatrixXcd vectors;
};
GeneralEigen general_eigen(const Mat& a, bool with_vectors);

// By LU with row pivoting. A reciprocal condition of about 1e-16 or less means a singular matrix.
struct DenseInverse {
  Mat matrix;
  double reciprocal_condition = 0;
};
DenseInverse inverse_of(const Mat& a);

// Q of A = Q R: the full square Q, or only its first columns, as many as A has, which span the columns of A.
Mat orthonormal_basis(const Mat& a);
Mat orthonormal_columns(const Mat& a);

// An orthonormal basis of all vectors orthogonal to the columns of A; these columns may be linearly dependent.
Mat orthogonal_complement(const Mat& a);

// A P = Q R with column pivoting: the column with the largest remainder always comes next.
struct PivotedQr {
  Mat r;                  // upper trapezoid
  Eigen::VectorXi order;  // column k of A P is column order[k] of A
  Index rank = 0;         // without columns whose remainder is only rounding of the largest one
};
PivotedQr pivoted_qr(const Mat& a);
}  // namespace trill
