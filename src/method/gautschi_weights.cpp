// SPDX-License-Identifier: BSD-3-Clause
// With z = exp(-i l mu) the conditions on the weights say that the polynomial sum_j b_j z^j of degree 2 r - 1 takes
// given values F(z) at the 2 r points z = exp(+-i l mu), l = 1..r. They are solved by Newton's interpolation formula.
// For small mu the points crowd around z = 1, where divided differences by subtraction would cancel: there F is a power
// series in u = z - 1, and the divided differences of u^k are complete symmetric polynomials of the points.
#include "method/gautschi_weights.hpp"

#include <cmath>
#include <complex>

namespace trill {
namespace {
using Real = long double;
using ExtendedNumber = std::complex<Real>;
constexpr int most_points = 2 * most_trigonometric_order;
constexpr int terms = 160;             // |u| <= 1/2: the rest is below rounding, even times the binomials of 12 points
constexpr Real largest_series = 0.5L;  // largest r mu for which the series is used

using Series = std::array<Real, terms>;
using Points = std::array<ExtendedNumber, most_points>;

struct BothSeries {
  Series position, velocity;
};

void divide(Series& f, const Series& by) {  // by[0] = 1
  for (int k = 0; k < terms; ++k)
    for (int j = 1; j <= k; ++j) f[k] -= by[j] * f[k - j];
}

// With L = log(1 + u)/u: F = 1/((1 + u) L^2) for positions and (1 - L)/(u L^2) for velocities.
BothSeries make_series() {
  BothSeries f{};
  Series logarithm{};
  for (int k = 0; k < terms; ++k) {
    const Real sign = k % 2 == 0 ? 1 : -1;
    logarithm[k] = sign / static_cast<Real>(k + 1);
    f.position[k] = sign;
    f.velocity[k] = sign / static_cast<Real>(k + 2);
  }
  for (int twice = 0; twice < 2; ++twice) {
    divide(f.position, logarithm);
    divide(f.velocity, logarithm);
  }
  return f;
}

// Divided differences over the first 1, 2, .. points.
void from_series(const Series& f, const Points& z, int points, Points& differences) {
  std::array<ExtendedNumber, terms> symmetric{};  // complete symmetric polynomials of the points so far
  symmetric[0] = 1;
  for (int m = 0; m < points; ++m) {
    for (int k = 1; k < terms; ++k) symmetric[k] += (z[m] - Real(1)) * symmetric[k - 1];
    differences[m] = 0;
    for (int k = m; k < terms; ++k) differences[m] += f[k] * symmetric[k - m];
  }
}

void from_values(const Points& z, int points, Points& differences) {
  for (int m = 1; m < points; ++m)
    for (int i = points - 1; i >= m; --i) differences[i] = (differences[i] - differences[i - 1]) / (z[i] - z[i - m]);
}

void expand(const Points& z, int points, const Points& differences, double* weights) {
  std::array<ExtendedNumber, most_points> p{};
  for (int m = points - 1; m >= 0; --m) {  // p(z) (z - z_m) + difference
    for (int k = points - 1; k >= 1; --k) p[k] = p[k - 1] - z[m] * p[k];
    p[0] = differences[m] - z[m] * p[0];
  }
  for (int k = 0; k < points; ++k) weights[k] = static_cast<double>(p[k].real());
}
}  // namespace

GautschiWeights gautschi_weights(int r, double mu) {
  static const BothSeries series = make_series();
  const int points = 2 * r;
  Points z{}, position{}, velocity{};
  for (int l = 1; l <= r; ++l)
    for (const int sign : {1, -1}) {
      const Real x = static_cast<Real>(sign * l) * static_cast<Real>(mu);
      const int i = 2 * (l - 1) + (sign < 0 ? 1 : 0);
      const ExtendedNumber one_minus_z(2 * std::sin(x / 2) * std::sin(x / 2), std::sin(x));
      z[i] = Real(1) - one_minus_z;
      if (x == 0) continue;
      position[i] = 2 * one_minus_z.real() / (x * x);
      velocity[i] = (one_minus_z - ExtendedNumber(0, x)) / (x * x);
    }
  if (static_cast<Real>(r) * std::abs(static_cast<Real>(mu)) < largest_series) {
    from_series(series.position, z, points, position);
    from_series(series.velocity, z, points, velocity);
  } else {
    from_values(z, points, position);
    from_values(z, points, velocity);
  }
  GautschiWeights weights;
  expand(z, points, position, weights.position.data());
  expand(z, points, velocity, weights.velocity.data());
  return weights;
}
}  // namespace trill
