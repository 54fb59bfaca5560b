// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "trill/problem/problem.hpp"

#include <complex>
#include <vector>

namespace trill {
// Eigenvalues of the linearised motion at a state: those of f'(y) for y' = f(y), and those of the first-order form of a
// mechanical system (with constraints: of its underlying ODE, for motions along the constraints). Uses dense matrices;
// meant for up to a few hundred unknowns.
std::vector<std::complex<double>> local_eigenvalues(const Problem& problem, const State& s);

// The largest |imaginary part| among them, or for large mechanical systems an estimate of the largest frequency by
// power iteration on M^-1 K.
double fastest_frequency(const Problem& problem, const State& s);
}  // namespace trill
