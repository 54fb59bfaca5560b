// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "trill/linalg/matrix_slot.hpp"

#include <vector>

namespace trill {
SpMat sparse_copy(const MatrixSlot& a);
bool is_positive_definite(const SpMat& a);
bool is_nearly_positive(const SpMat& a, double rounding);  // it is, with its diagonal raised by as much relative to 1
// The columns that take part in a vector x with A x = 0 and B x = 0, none where there is no such x. A is positive
// semidefinite: [A B^T; B 0] is then singular for no other reason than this one and dependent rows of B.
std::vector<Index> common_kernel(const SpMat& a, const SpMat& b);
}  // namespace trill
