// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "trill/base/types.hpp"

namespace trill::test {
// Decompositions by Eigen for expected values. They are independent of linalg, and are compiled only once because this
// takes long.
Vec solved(const Mat& a, const Vec& b);          // with full pivoting
Vec solved_by_rows(const Mat& a, const Vec& b);  // with row pivoting, as in linalg
Mat inverse(const Mat& a);
double determinant(const Mat& a);
Eigen::VectorXcd eigenvalues(const Mat& a);
bool is_positive_definite(const Mat& a);
Mat kernel(const Mat& a);                        // the columns x satisfy a x = 0, but are not orthonormal
Mat orthonormal_complement(const Mat& columns);  // the given columns must be independent

struct Pairs {
  Vec values;
  Mat vectors;
};
Pairs symmetric_pairs(const Mat& k);                // k x = value x, with increasing values
Pairs symmetric_pairs(const Mat& k, const Mat& m);  // k x = value m x and x^T m x = 1, with increasing values
Pairs real_pairs(const Mat& a);                     // real parts only, for matrices with real eigenvalues
}  // namespace trill::test
