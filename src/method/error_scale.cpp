// SPDX-License-Identifier: BSD-3-Clause
#include "trill/method/error_scale.hpp"

#include <cmath>

namespace trill {
double ErrorScale::norm(In error, In y0, In y1) const {
  double sum = 0, largest = 0;
  Index tested = 0;
  for (Index i = 0; i < error.size(); ++i) {
    if (error[i] == 0) {  // also where both tolerance and value are zero
      tested += std::isfinite(atol[i]);
      continue;
    }
    const double size = std::max(std::abs(y0[i]), std::abs(y1[i]));
    if (kind == Norm::max_or_atol) {
      const double e = std::abs(error[i]) / std::max(size, atol[i] / rtol) / rtol;
      if (!(e <= largest)) largest = e;  // keeps NaN
      continue;
    }
    const double e = error[i] / (atol[i] + rtol * size);
    sum += e * e;
    tested += std::isfinite(atol[i]);
  }
  if (kind == Norm::max_or_atol) return largest;
  return std::sqrt(sum / static_cast<double>(std::max<Index>(tested, 1)));
}

void ErrorScale::weights(In y, Out w) const {
  for (Index i = 0; i < y.size(); ++i) w[i] = 1 / (atol[i] + rtol * std::abs(y[i]));
}
}  // namespace trill
