// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "linalg/matrix_functions.hpp"

namespace trill {
// f(h sqrt(lambda)) = sum_k c_k T_k(2 lambda/bound - 1) for 0 <= lambda <= bound, for every f of a family.
struct ChebyshevSeries {
  Mat c;  // one column for each function, one row for each k
  Index degree() const { return c.rows() - 1; }
};

// largest = h sqrt(bound). The truncation error is at most `tolerance` times the largest value of the function.
ChebyshevSeries chebyshev_series(const FunctionFamily& family, double largest, double tolerance);
}  // namespace trill
