// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "trill/base/types.hpp"

#include <string>

namespace trill {
struct Eigenvalues {
  bool converged = false;
  std::string message;  // why not, else empty
  Eigen::VectorXcd values;
};

// K x = lambda M x with symmetric K and symmetric positive definite M: ascending values, columns x with x^T M x = 1.
struct EigenPairs {
  bool converged = false;
  std::string message;  // why not, else empty; then values and vectors are empty
  Vec values;
  Mat vectors;
};

// All of them. The lower triangles of K and M are used. Wrong shapes throw std::invalid_argument.
Eigenvalues eigenvalues(const Mat& a);
EigenPairs symmetric_eigenpairs(const Mat& k, const Mat& m);

// The `count` smallest or largest ones of sparse pencils, both triangles stored. K may be singular (free bodies)
// but not indefinite. Small pencils, or nearly all pairs, are solved densely.
EigenPairs smallest_eigenpairs(const SpMat& k, const SpMat& m, Index count);
EigenPairs largest_eigenpairs(const SpMat& k, const SpMat& m, Index count);
}  // namespace trill
