// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "linalg/modes.hpp"
#include "trill/problem/mechanical.hpp"

namespace trill {
// The matrices of small undamped oscillations M x'' + K x = 0 about a state: those of a linear structure, or the mass
// and the slope of the force of any other mechanical problem. UsageError for problems that have none: with
// constraints, or with forces whose slope is not symmetric.
struct OscillationMatrices {
  SpMat mass, stiffness;
  bool damped = false;  // forces depend on velocities, which the modes leave out
};
OscillationMatrices oscillation_matrices(const Problem& problem, const State& at);
}  // namespace trill
