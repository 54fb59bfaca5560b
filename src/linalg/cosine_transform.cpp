// SPDX-License-Identifier: BSD-3-Clause
#include "linalg/cosine_transform.hpp"

#include <cmath>
#include <complex>
#include <numbers>

#include <unsupported/Eigen/FFT>

namespace trill {
double chebyshev_angle(Index j, Index count) {
  return std::numbers::pi * (static_cast<double>(j) + 0.5) / static_cast<double>(count);
}

// The cosine transform by a Fourier transform of the same length: J. Makhoul, IEEE Trans. Acoust. Speech Signal
// Process. 28 (1980) 27-34.
Vec chebyshev_coefficients(const Vec& values) {
  const Index count = values.size();
  Eigen::VectorXcd ordered(count), transformed(count);
  for (Index j = 0; 2 * j < count; ++j) ordered[j] = values[2 * j];
  for (Index j = 0; 2 * j + 1 < count; ++j) ordered[count - 1 - j] = values[2 * j + 1];
  Eigen::FFT<double> fourier;
  fourier.fwd(transformed, ordered);
  Vec c(count);
  for (Index k = 0; k < count; ++k) {
    const double angle = std::numbers::pi * static_cast<double>(k) / static_cast<double>(2 * count);
    const double sum = (transformed[k] * std::polar(1.0, -angle)).real();
    c[k] = (k == 0 ? 1.0 : 2.0) * sum / static_cast<double>(count);
  }
  return c;
}

Index needed_degree(const Vec& c, double least) {
  double rest = 0;
  for (Index k = c.size() - 1; k >= 0; --k) {
    rest += std::abs(c[k]);
    if (rest > least) return k;
  }
  return 0;
}
}  // namespace trill
