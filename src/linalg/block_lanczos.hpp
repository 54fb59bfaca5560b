// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "linalg/dense_decompositions.hpp"
#include "linalg/structure_space.hpp"

#include <cstdint>

namespace trill {
// sign (K - shift M)^-1 M for symmetric K and M. Its eigenvalues are theta = sign / (lambda - shift).
class ShiftedInverse {
 public:
  // The space has been factorised with this shift.
  ShiftedInverse(const StructureSpace& space, double shift) : space_(space), shift_(shift) {}
  double shift() const { return shift_; }
  double sign() const { return sign_; }
  void look_above() { sign_ = -1; }  // for a shift above the wanted eigenvalues
  const StructureSpace& space() const { return space_; }
  Mat apply_to_mass_times(const Mat& mx) const { return sign_ * space_.solve(mx); }
  double lambda(double theta) const { return shift_ + sign_ / theta; }

 private:
  const StructureSpace& space_;
  double shift_, sign_ = 1;
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
  const StructureSpace& space() const { return inverse_.space(); }
  Index room() const { return space().size() - locked_.cols() - size_; }
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
