// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "trill/base/types.hpp"

namespace trill {
// An orthonormal basis of r_0 = K^-1 b, r_1 = -K^-1 C r_0, r_j = -K^-1 (C r_{j-1} + M r_{j-2}), by the second-order
// Arnoldi iteration (Z. Bai, Y. Su, SIAM J. Matrix Anal. Appl. 26 (2005) 640-659). M, C and K projected on it keep
// their meaning, and the small problem has the roots of lowest frequency of the large one. No matrix needs to be
// symmetric: C may be gyroscopic and K circulatory. It has fewer vectors than asked for if these span all that b
// excites. UsageError if K is singular.
Mat second_order_basis(const SpMat& k, const SpMat& c, const SpMat& m, const Vec& b, Index vectors);

// The roots s of det(M s^2 + C s + K) = 0 for small dense matrices, those with the smallest |s| first. K must not be
// singular: 1/s is computed, which gives low frequencies accurately. Roots that M makes infinite are.
Eigen::VectorXcd quadratic_roots(const Mat& m, const Mat& c, const Mat& k);
}  // namespace trill
