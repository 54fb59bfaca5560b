// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "linalg/dense_decompositions.hpp"
#include "linalg/sparse_cholesky.hpp"

#include <cstdint>

namespace trill {
// sign (K - shift M)^-1 M for symmetric K and M. Its eigenvalues are theta = sign / (lambda - shift).
class ShiftedInverse {
 public:
  ShiftedInverse(const SpMat& k, const SpMat& m, double shift);
  double shift() const { return shift_; }
  double sign() const { return sign_; }
  void look_above() { sign_ = -1; }  // for a shift above the wanted eigenvalues
  const SparseCholesky& factors() const { return factors_; }
  const SpMat& mass() const { return m_; }
  Mat apply_to_mass_times(const Mat& mx) const { return sign_ * factors_.solve(mx); }
  double lambda(double theta) const { return shift_ + sign_ / theta; }

 private:
  const SpMat& m_;
  double shift_, sign_ = 1;
  SparseCholesky factors_;
};

// The Lanczos iteration with blocks of vectors, in the inner product of M, always orthogonalised against its whole
// basis and against the columns of `locked`, which are M-orthonormal eigenvectors that were found before. A block finds
// as many copies of a multiple eigenvalue as it has columns.
class BlockLanczos {
 public:
  // The start vectors depend on `seed` and the number of the component alone.
  BlockLanczos(const ShiftedInverse& inverse, const Mat& locked, Index block, std::uint64_t seed);

  bool extend();  // one more block; false: the basis cannot grow
  Index solves() const { return solves_; }
  Index size() const { return size_; }
  // Ritz values, the largest first, and the size of their residuals. Valid until the next call of extend().
  bool solve_projected();
  double value(Index i) const { return projected_.values()[size_ - 1 - i]; }
  double residual(Index i) const;
  Mat vectors(Index count) const;

 private:
  Vec random_vector();
  Index room() const { return inverse_.mass().rows() - locked_.cols() - size_; }
  void orthogonalise(Mat& w) const;
  void normalise(Mat& w);
  void append_to_basis();

  const ShiftedInverse& inverse_;
  const Mat& locked_;
  std::uint64_t seed_, drawn_ = 0;
  Index size_ = 0, solves_ = 0;
  Mat basis_;                  // its first size_ columns count
  Mat projection_, coupling_;  // of the basis, and of its last block to the next one
  Mat next_;                   // the block that extend() adds; no columns: there is none
  SymmetricEigen projected_;
};
}  // namespace trill
