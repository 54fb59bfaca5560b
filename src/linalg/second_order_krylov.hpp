// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "trill/base/types.hpp"

#include <memory>

namespace trill {
class LinearSolver;

// The second-order Krylov space of M, C and K: r_0 = K^-1 b, r_1 = -K^-1 C r_0, r_j = -K^-1 (C r_{j-1} + M r_{j-2}),
// for every column b of a start block (Z. Bai, Y. Su, SIAM J. Matrix Anal. Appl. 26 (2005) 640-659). M, C and K
// projected on it keep their meaning, and the small problem has the roots of lowest frequency of the large one. No
// matrix needs to be symmetric: C may be gyroscopic and K circulatory.
//
// Pairs (r_j, r_{j-1}) are made orthonormal, not the r_j alone, which would lose half of the digits; time is scaled so
// that both halves of a pair are of one size.
class SecondOrderKrylov {
 public:
  // Refers to the matrices. UsageError if K is singular.
  SecondOrderKrylov(const SpMat& k, const SpMat& c, const SpMat& m, const Mat& start);
  ~SecondOrderKrylov();
  bool extend();  // one more block; false: the space contains all that the start excites
  Index size() const { return size_; }
  Index solves() const { return solves_; }
  auto vectors() const { return q_.leftCols(size_); }  // orthonormal

 private:
  Vec solve(const Vec& b);
  bool append(Vec upper, Vec lower);

  const SpMat &c_, &m_;
  std::unique_ptr<LinearSolver> solver_;
  double scale_ = 1;
  Mat upper_, lower_, q_;
  Index pairs_ = 0, size_ = 0, newest_ = 0, solves_ = 0;  // newest_: first pair of the last block
};

// At most so many vectors from a single b.
Mat second_order_basis(const SpMat& k, const SpMat& c, const SpMat& m, const Mat& start, Index vectors);

// The roots s of det(M s^2 + C s + K) = 0 for small dense matrices, those with the smallest |s| first. K must not be
// singular: 1/s is computed, which gives low frequencies accurately. Roots that M makes infinite are.
Eigen::VectorXcd quadratic_roots(const Mat& m, const Mat& c, const Mat& k);
}  // namespace trill
