// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "trill/base/types.hpp"

namespace trill {
// Runge-Kutta methods for steps of M cycles: Y_i = z + M sum_j a_ij g(Y_j), z_new = z + M sum_j b_j g(Y_j), where g is
// the change in one cycle. The order conditions have sums where those of differential equations have integrals, so all
// coefficients depend on eps = 1/M and become the classical ones for eps -> 0. With classical coefficients the error
// would not fall below one of the size of a cycle.
struct CycleTableau {
  Mat a;
  Vec b, c;
  Vec error;  // weights of the difference to a result of lower order; empty: none
};

enum class CycleScheme {
  midpoint,
  heun,
  rk3,
  rk4,
  trapezoid,
  next_cycle_euler,  // PJY97 eq. 5.3, for comparison: not exact for M = 1
  sdirk2,
  radau1,  // implicit Euler on the last cycle
  radau2,
  radau3,
  gauss1,
  gauss2,
  gauss3
};

int order_of(CycleScheme scheme);
int stages_of(CycleScheme scheme);
bool is_explicit(CycleScheme scheme);
CycleTableau cycle_tableau(CycleScheme scheme, double eps);
}  // namespace trill
