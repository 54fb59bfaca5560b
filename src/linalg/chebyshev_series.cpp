// SPDX-License-Identifier: BSD-3-Clause
#include "linalg/chebyshev_series.hpp"

#include "linalg/cosine_transform.hpp"
#include "trill/base/errors.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

namespace trill {
namespace {
constexpr Index fewest_nodes = 32, most_nodes = 8192;

}  // namespace

ChebyshevSeries chebyshev_series(const FunctionFamily& family, double largest, double tolerance) {
  // Arguments are rounded, and coefficients below what this does to values would never end.
  const double reachable = std::max(tolerance, 4 * std::numeric_limits<double>::epsilon() * std::abs(largest));
  for (Index count = fewest_nodes; count <= most_nodes; count *= 2) {
    Mat c(count, static_cast<Index>(family.size()));
    Index degree = 0;
    for (Index f = 0; f < c.cols(); ++f) {
      Vec values(count);
      // lambda = bound (1 + cos theta)/2, hence h sqrt(lambda) = largest cos(theta/2).
      for (Index j = 0; j < count; ++j)
        values[j] = family[static_cast<std::size_t>(f)](largest * std::cos(0.5 * chebyshev_angle(j, count)));
      c.col(f) = chebyshev_coefficients(values);
      degree = std::max(degree, needed_degree(c.col(f), reachable * values.cwiseAbs().maxCoeff()));
    }
    if (4 * degree <= 3 * count) return {c.topRows(degree + 1)};
  }
  throw UsageError(fmt::format(
      "h * omega reaches {:.4g}, which is too large for functions of a matrix; choose a smaller step size h",
      std::abs(largest)));
}
}  // namespace trill
