// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "linalg/dense_decompositions.hpp"
#include "linalg/structure_space.hpp"

namespace trill {
// Load-dependent vectors (Wilson, Yuan, Dickens 1982) in blocks: K^-1 B for a start block B of loads and momenta, then
// K^-1 M times the block before, all M-orthonormal. Their combinations that diagonalise K are Ritz vectors; those with
// low frequencies converge to the modes that B excites. The static answer to the start block is always contained.
class RitzBasis {
 public:
  // K has been factorised. Columns of the start block that are zero or depend on others are dropped. All vectors are
  // M-orthogonal to the motions of a body that is not held.
  RitzBasis(const StructureSpace& space, const Mat& start, const Mat& rigid = {});

  bool extend();  // one more block; false: the space contains everything that B can excite
  bool solve();   // finds the Ritz vectors of the present space; false: rounding has made it useless
  Index size() const { return size_; }
  Index solves() const { return solves_; }
  const Vec& lambda() const { return lambda_; }  // ascending
  // Whether Ritz vector j is a mode, as far as rounding in K lets one tell.
  bool is_mode(Index j) const;
  // Solves are those of a matrix that differs from K by rounding: what that does to K^-1 M times Ritz vector j.
  double inconsistency(Index j) const { return inside_[j]; }
  // What rounding in the entries of K can change in the largest eigenvalue of K^-1 M, relative to it.
  double rounding() const { return rounding_; }
  auto vectors() const { return basis_.leftCols(size_); }
  const Mat& combinations() const { return combinations_; }  // Ritz vectors = vectors() * combinations()
  Mat shares_of(Columns x) const;                            // products of all Ritz vectors with these

 private:
  void append(const Mat& w);
  void look_ahead(Index before);
  Mat bordered(const Mat& matrix, const Mat& image) const;

  const StructureSpace& space_;
  Mat rigid_, basis_;
  Index size_ = 0, last_ = 0, solves_ = 0;  // last_: columns of the newest block
  Mat stiffness_;                           // of the basis
  Mat inverse_;                             // K^-1 M in the basis
  Mat ahead_;                               // K^-1 M times the newest block
  Mat outside_;                             // products of those parts of it that are outside the basis
  Vec lambda_;
  Mat combinations_;
  Vec inside_;  // the parts of residuals of K^-1 M that are in the space
  double stiffness_norm_ = 0, rounding_ = 0;
};
}  // namespace trill
