// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "linalg/matrix_functions.hpp"

#include <optional>

namespace trill {
Mat as_dense(const MatrixSlot& a);
bool is_symmetric(const MatrixSlot& a);
std::optional<Vec> diagonal_of(const MatrixSlot& a);       // of a matrix with nothing beside it
void require_not_negative(double smallest, double least);  // an eigenvalue of K; UsageError when below -least
}  // namespace trill
