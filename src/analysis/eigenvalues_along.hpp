// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "trill/solution/solution.hpp"

#include <complex>

namespace trill {
struct LocalSpectrum {
  double t;
  std::vector<std::complex<double>> values;  // by decreasing imaginary part
};

// Eigenvalues of the linearised motion at every row of a solution in memory.
std::vector<LocalSpectrum> eigenvalues_along(const Problem& problem, const Solution& solution);
}  // namespace trill
