// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "linalg/matrix_functions.hpp"

#include <optional>

namespace trill {
// K = vectors diag(values) inverse
struct Decomposition {
  Vec values;
  Mat vectors, inverse;
};
// K = m^-1 s. UsageError if s is not symmetric and K has no real eigenvalues or too few eigenvectors.
Decomposition decompose(const Mat& s, const Mat& m, bool symmetric);
Mat as_dense(const MatrixSlot& a);
bool is_symmetric(const MatrixSlot& a);
std::optional<Vec> diagonal_of(const MatrixSlot& a);       // nullopt: the matrix is not diagonal
void require_not_negative(double smallest, double least);  // smallest eigenvalue of K; UsageError if below -least
}  // namespace trill
