// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "trill/solution/solution_file.hpp"

#include <cmath>
#include <cstdlib>

namespace trill::fuzz {
// A solution that could be opened must have as many rows of finite numbers as it states, unless a damaged row is found
// while reading.
inline void read_solution(const std::filesystem::path& path) {
  const SolutionFile file(path);
  const std::size_t n_y = file.info().components.size(), n_measured = file.info().quantities.size();
  Index seen = 0;
  file.visit([&](double t, const double* y, const double* measured) {
    double sum = t;
    for (std::size_t i = 0; i < n_y; ++i) sum = std::isfinite(y[i]) ? sum : NAN;
    for (std::size_t i = 0; i < n_measured; ++i) sum = std::isfinite(measured[i]) ? sum : NAN;
    if (!std::isfinite(sum)) std::abort();
    ++seen;
  });
  if (seen != file.rows()) std::abort();
}
}  // namespace trill::fuzz
