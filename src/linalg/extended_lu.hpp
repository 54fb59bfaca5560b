// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "trill/base/types.hpp"

#include <complex>
#include <vector>

// Small dense matrices in extended precision, for coefficients of methods that are computed once and rounded to double.
// Plain loops, because Eigen's decompositions of these types take longer to compile than all methods that use them.
namespace trill {
using ExtendedComplex = std::complex<Extended>;
using ExtendedComplexMat = Eigen::Matrix<ExtendedComplex, Eigen::Dynamic, Eigen::Dynamic>;

// P A = L U by columns with partial pivoting. Scalar: Extended or ExtendedComplex.
template <class Scalar>
class ExtendedLu {
 public:
  using Matrix = Eigen::Matrix<Scalar, Eigen::Dynamic, Eigen::Dynamic>;
  using Vector = Eigen::Matrix<Scalar, Eigen::Dynamic, 1>;
  // Pivots that are exactly zero are replaced by smallest_pivot: inverse iteration at an eigenvalue needs only the
  // direction of the solution.
  explicit ExtendedLu(Matrix a, Extended smallest_pivot = 0);
  Vector solve(const Vector& b) const;
  Matrix inverse() const;
  Scalar determinant() const;

 private:
  Matrix lu_;
  std::vector<Index> rows_;  // row k of P A is row rows_[k] of A
  bool odd_ = false;         // whether the number of row exchanges is odd
};

// Computed entry by entry: these matrices are small, and Eigen's blocked products take long to compile.
ExtendedMat extended_product(const ExtendedMat& a, const ExtendedMat& b);

// Columns: eigenvectors of length 1.
struct ExtendedModes {
  std::vector<ExtendedComplex> values;
  ExtendedComplexMat vectors;
};
// Eigenvalues and eigenvectors of a matrix with distinct eigenvalues: computed in double precision, then refined by
// inverse iteration. In a complex pair one vector is the conjugate of the other.
ExtendedModes extended_modes(const ExtendedMat& a);
}  // namespace trill
