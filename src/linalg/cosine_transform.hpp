// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "trill/base/types.hpp"

namespace trill {
// Node j of `count` on [-1, 1] is cos(theta_j), theta_j = pi (j + 1/2) / count.
double chebyshev_angle(Index j, Index count);
// The coefficients c_k of sum over k of c_k T_k(x) that has these values at the nodes.
Vec chebyshev_coefficients(const Vec& values);
// The lowest degree such that the sum of all |c_k| beyond it is at most `least`.
Index needed_degree(const Vec& c, double least);
}  // namespace trill
