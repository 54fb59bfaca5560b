// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "trill/base/types.hpp"

namespace trill::test {
// Eigen's decompositions for what tests expect, compiled once: they are expensive to compile, and independent of
// linalg.
Vec solved(const Mat& a, const Vec& b);          // with full pivoting
Vec solved_by_rows(const Mat& a, const Vec& b);  // with row pivoting, as linalg solves
Mat inverse(const Mat& a);
double determinant(const Mat& a);
Eigen::VectorXcd eigenvalues(const Mat& a);
bool is_positive_definite(const Mat& a);
Mat kernel(const Mat& a);                        // columns x with a x = 0, not orthonormal
Mat orthonormal_complement(const Mat& columns);  // of independent columns

struct Pairs {
  Vec values;
  Mat vectors;
};
Pairs symmetric_pairs(const Mat& k);                // k x = value x, rising
Pairs symmetric_pairs(const Mat& k, const Mat& m);  // k x = value m x, x^T m x = 1, rising
Pairs real_pairs(const Mat& a);                     // real parts, for matrices with real eigenvalues
}  // namespace trill::test
