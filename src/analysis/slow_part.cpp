// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/slow_part.hpp"

#include "linalg/window.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include <fmt/format.h>

namespace trill {
FlatWindow::FlatWindow(double slowest, int periods, int samples) {
  if (!(slowest > 0) || periods < 1 || samples < 3)
    throw UsageError("a window needs a positive frequency and must contain at least one period and three samples");
  half_width_ = periods * 2 * std::numbers::pi / slowest;
  weights_ = flat_window(Index{periods} * samples);
}

double FlatWindow::time(double centre, Index k) const {
  const auto half = static_cast<double>(weights_.size() / 2);
  return centre + half_width_ * (static_cast<double>(k) / half - 1);
}

std::vector<double> FlatWindow::times(const std::vector<double>& centres) const {
  std::vector<double> all;
  for (const double centre : centres)
    for (Index k = 0; k < weights_.size(); ++k) all.push_back(time(centre, k));
  std::sort(all.begin(), all.end());
  all.erase(std::unique(all.begin(), all.end()), all.end());
  return all;
}

Mat FlatWindow::averages(const Solution& solution, const std::vector<double>& centres) const {
  const auto y = solution.y();
  Mat means = Mat::Zero(y.rows(), static_cast<Index>(centres.size()));
  for (std::size_t c = 0; c < centres.size(); ++c)
    for (Index k = 0; k < weights_.size(); ++k) {
      const double t = time(centres[c], k);
      const auto at = std::lower_bound(solution.t.begin(), solution.t.end(), t);
      if (at == solution.t.end() || *at != t)
        throw UsageError(fmt::format("the average needs the motion at t = {}, which was not recorded", t));
      means.col(static_cast<Index>(c)) += weights_[k] * y.col(at - solution.t.begin());
    }
  return means;
}
}  // namespace trill
