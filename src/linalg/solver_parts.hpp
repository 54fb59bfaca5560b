// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "trill/linalg/linear_solver.hpp"

#include <cmath>
#include <limits>
#include <stdexcept>
#include <string>

namespace trill {
inline constexpr Index small_lu_limit = 24;

std::unique_ptr<LinearSolver> make_small_lu();
std::unique_ptr<LinearSolver> make_dense_lu();
std::unique_ptr<LinearSolver> make_klu();
std::unique_ptr<LinearSolver> make_sparse_lu();

inline void require_square(const MatrixSlot& pattern, const char* who) {
  if (pattern.rows() != pattern.cols())
    throw std::invalid_argument(std::string(who) + ": the matrix is " + std::to_string(pattern.rows()) + " x " +
                                std::to_string(pattern.cols()) + "; a linear solver needs a square one");
}

inline void require_analysed(const MatrixSlot& a, Index size, const char* who) {
  if (a.rows() != size || a.cols() != size)
    throw std::logic_error(std::string(who) +
                           ": the matrix to factorise has another size than the one that was analysed");
}

// A pivot is lost if it is at the rounding level of both its row and its column of A. Requiring both makes the answer
// independent of the scaling of rows and columns: multiplier rows scaled by h^2 are small, but not singular.
inline bool pivot_is_lost(double pivot, double row_max, double column_max, Index n) {
  const double level = static_cast<double>(n) * std::numeric_limits<double>::epsilon();
  return !(std::abs(pivot) > level * std::min(row_max, column_max)) || !std::isfinite(pivot);
}
}  // namespace trill
