// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "trill/base/types.hpp"

#include <string>

namespace trill {
struct Eigenvalues {
  bool converged = false;
  std::string message;  // why it did not converge, else empty
  Eigen::VectorXcd values;
};

// K x = lambda M x with symmetric K and symmetric positive definite M: ascending values, columns x with x^T M x = 1.
struct EigenPairs {
  bool converged = false;
  std::string message;  // why it did not converge (then values and vectors are empty), else empty
  Vec values;
  Mat vectors;
};

// All eigenvalues or pairs. Only the lower triangles of K and M are used. Wrong shapes throw std::invalid_argument.
Eigenvalues eigenvalues(const Mat& a);
EigenPairs symmetric_eigenpairs(const Mat& k, const Mat& m);
}  // namespace trill
