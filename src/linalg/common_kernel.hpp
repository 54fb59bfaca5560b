// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "trill/linalg/matrix_slot.hpp"

#include <vector>

namespace trill {
SpMat sparse_copy(const MatrixSlot& a);
bool is_positive_definite(const SpMat& a);
bool is_nearly_positive(const SpMat& a, double rounding);  // positive definite with rounding (a_ii + 1) added to a_ii
// The indices of the nonzero entries of a vector x with A x = 0 and B x = 0; empty if there is no such x. A must be
// positive semidefinite: then [A B^T; B 0] is singular only if there is such an x or if rows of B are dependent.
std::vector<Index> common_kernel(const SpMat& a, const SpMat& b);
}  // namespace trill
