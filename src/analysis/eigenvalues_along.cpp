// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/eigenvalues_along.hpp"

#include "formulation/frequencies.hpp"

#include <algorithm>

namespace trill {
std::vector<LocalSpectrum> eigenvalues_along(const Problem& problem, const Solution& solution) {
  std::vector<LocalSpectrum> spectra;
  State s(solution.info.layout);
  for (Index i = 0; i < solution.rows(); ++i) {
    s.t = solution.t[static_cast<std::size_t>(i)];
    s.y = solution.y().col(i);
    auto values = local_eigenvalues(problem, s);
    std::sort(values.begin(), values.end(), [](const auto& a, const auto& b) {
      return a.imag() != b.imag() ? a.imag() > b.imag() : a.real() > b.real();
    });
    spectra.push_back({s.t, std::move(values)});
  }
  return spectra;
}
}  // namespace trill
