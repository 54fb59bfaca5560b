// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "trill/linalg/newton.hpp"

namespace trill {
// Newton's method for guesses from which the plain iteration runs away. Every iterate has its own Jacobian, and a step
// is halved up to so many times until the next correction, by the same Jacobian, is smaller (the natural monotonicity
// test of P. Deuflhard, 2004). If it fails, x is as it was.
NewtonStats solve_damped(NonlinearSystem& system, Out x, In weights, const NewtonOptions& options, int most_halvings);
}  // namespace trill
