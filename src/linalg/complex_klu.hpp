// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "linalg/complex_solver.hpp"

namespace trill {
std::unique_ptr<ComplexSolver> make_complex_sparse(const MatrixSlot& pattern);
}  // namespace trill
