// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "linalg/matrix_functions.hpp"

#include <optional>

namespace trill {
Mat as_dense(const MatrixSlot& a);
bool is_symmetric(const MatrixSlot& a);
std::optional<Vec> diagonal_of(const MatrixSlot& a);       // nullopt: the matrix is not diagonal
void require_not_negative(double smallest, double least);  // smallest eigenvalue of K; UsageError if below -least
}  // namespace trill
