// SPDX-License-Identifier: BSD-3-Clause
#include "linalg/chebyshev_series.hpp"

#include "trill/base/errors.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include <fmt/format.h>

namespace trill {
namespace {
constexpr Index fewest_nodes = 32, most_nodes = 8192;

// The cosine transform of values at the Chebyshev nodes cos(theta_j), theta_j = pi (j + 1/2) / count.
Vec coefficients_of(const Vec& values, const Vec& cosines) {
  const Index count = values.size();
  Vec c(count);
  for (Index k = 0; k < count; ++k) {
    double sum = 0;
    for (Index j = 0; j < count; ++j) sum += values[j] * cosines[k * (2 * j + 1) % (4 * count)];
    c[k] = (k == 0 ? 1.0 : 2.0) * sum / static_cast<double>(count);
  }
  return c;
}

// The lowest degree such that the sum of all |c_k| beyond it is at most `least`.
Index needed_degree(const Vec& c, double least) {
  double rest = 0;
  for (Index k = c.size() - 1; k >= 0; --k) {
    rest += std::abs(c[k]);
    if (rest > least) return k;
  }
  return 0;
}
}  // namespace

ChebyshevSeries chebyshev_series(const FunctionFamily& family, double largest, double tolerance) {
  for (Index count = fewest_nodes; count <= most_nodes; count *= 2) {
    Vec cosines(4 * count);
    for (Index i = 0; i < 4 * count; ++i)
      cosines[i] = std::cos(std::numbers::pi * static_cast<double>(i) / static_cast<double>(2 * count));
    Mat c(count, static_cast<Index>(family.size()));
    Index degree = 0;
    for (Index f = 0; f < c.cols(); ++f) {
      Vec values(count);
      // lambda = bound (1 + cos theta)/2, hence h sqrt(lambda) = largest cos(theta/2).
      for (Index j = 0; j < count; ++j) {
        const double half_angle = std::numbers::pi * (static_cast<double>(j) + 0.5) / static_cast<double>(2 * count);
        values[j] = family[static_cast<std::size_t>(f)](largest * std::cos(half_angle));
      }
      c.col(f) = coefficients_of(values, cosines);
      degree = std::max(degree, needed_degree(c.col(f), tolerance * values.cwiseAbs().maxCoeff()));
    }
    if (4 * degree <= 3 * count) return {c.topRows(degree + 1)};
  }
  throw UsageError(fmt::format(
      "h * omega reaches {:.4g}, which is too large for functions of a matrix; choose a smaller step size h",
      std::abs(largest)));
}
}  // namespace trill
