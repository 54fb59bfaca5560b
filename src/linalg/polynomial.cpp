// SPDX-License-Identifier: BSD-3-Clause
#include "trill/linalg/polynomial.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

namespace trill {
namespace {
constexpr Extended extended_epsilon = std::numeric_limits<Extended>::epsilon();

int sign(Extended value) { return (value > 0) - (value < 0); }

Extended bisect(const Polynomial& p, Extended low, Extended high) {
  const int below = sign(p(low));
  while (true) {
    const Extended middle = low + (high - low) / 2;
    if (middle <= low || middle >= high) return middle;
    (sign(p(middle)) == below ? low : high) = middle;
  }
}

// Fujiwara's bound of the moduli of all roots.
Extended root_bound(const Polynomial& p) {
  const int n = p.degree();
  Extended bound = 0;
  for (int k = 1; k <= n; ++k)
    bound = std::max(bound, std::pow(std::abs(p.coefficient(n - k) / p.coefficient(n)), Extended(1) / k));
  return 2 * bound;
}

Polynomial without_zero_roots(const Polynomial& p) {
  int k = 0;
  while (p.coefficient(k) == 0) ++k;
  return p.divided_by_power(k);
}
}  // namespace

Polynomial::Polynomial(std::vector<Extended> exact)
    : Polynomial(exact, std::vector<Extended>(exact.size(), Extended(0))) {}

Polynomial::Polynomial(std::vector<Extended> values, std::vector<Extended> bounds)
    : values_(std::move(values)), bounds_(std::move(bounds)) {
  for (std::size_t k = 0; k < values_.size(); ++k)
    if (std::abs(values_[k]) <= bounds_[k]) values_[k] = 0;
}

int Polynomial::degree() const {
  int k = size() - 1;
  while (k >= 0 && coefficient(k) == 0) --k;
  return k;
}

Extended Polynomial::operator()(Extended x) const {
  Extended value = 0;
  for (int k = degree(); k >= 0; --k) value = value * x + coefficient(k);
  return value;
}

// Coefficients that count as zero contribute no error: they are assumed to be zero except for rounding.
Extended Polynomial::uncertainty(Extended x) const {
  Extended error = 0;
  const int n = degree();
  for (int k = n; k >= 0; --k)
    error =
        error * x + (coefficient(k) != 0 ? bound(k) + 2 * (n + 1) * extended_epsilon * std::abs(coefficient(k)) : 0);
  return error;
}

Polynomial Polynomial::derivative() const {
  std::vector<Extended> values, bounds;
  for (int k = 1; k < size(); ++k) {
    values.push_back(k * coefficient(k));
    bounds.push_back(k * bound(k));
  }
  return {values, bounds};
}

Polynomial Polynomial::scaled(Extended factor, Extended rounding) const {
  std::vector<Extended> values, bounds;
  for (int k = 0; k < size(); ++k) {
    values.push_back(factor * coefficient(k));
    bounds.push_back(std::abs(factor) * (bound(k) + (rounding + extended_epsilon) * std::abs(coefficient(k))));
  }
  return {values, bounds};
}

Polynomial Polynomial::stretched(Extended factor, Extended rounding) const {
  Polynomial result = *this;
  Extended power = 1;
  for (std::size_t k = 0; k < values_.size(); ++k, power *= factor) {
    result.values_[k] *= power;
    result.bounds_[k] = std::abs(power) * (bounds_[k] + static_cast<Extended>(k) * (rounding + 2 * extended_epsilon) *
                                                            std::abs(values_[k]));
  }
  return result;
}

Polynomial Polynomial::divided_by_power(int k) const {
  return {std::vector<Extended>(values_.begin() + k, values_.end()),
          std::vector<Extended>(bounds_.begin() + k, bounds_.end())};
}

Polynomial Polynomial::truncated(int terms) const {
  const auto kept = static_cast<std::ptrdiff_t>(std::min(terms, size()));
  return {std::vector<Extended>(values_.begin(), values_.begin() + kept),
          std::vector<Extended>(bounds_.begin(), bounds_.begin() + kept)};
}

Polynomial operator+(const Polynomial& a, const Polynomial& b) {
  std::vector<Extended> values, bounds;
  for (int k = 0; k < std::max(a.size(), b.size()); ++k) {
    values.push_back(a.coefficient(k) + b.coefficient(k));
    bounds.push_back(a.bound(k) + b.bound(k) + extended_epsilon * std::abs(values.back()));
  }
  return {values, bounds};
}

Polynomial operator-(const Polynomial& a, const Polynomial& b) { return a + Extended(-1) * b; }

Polynomial operator*(const Polynomial& a, const Polynomial& b) {
  if (a.size() == 0 || b.size() == 0) return {};
  const auto terms = static_cast<std::size_t>(a.size() + b.size() - 1);
  std::vector<Extended> values(terms, 0), bounds(terms, 0);
  for (int i = 0; i < a.size(); ++i)
    for (int j = 0; j < b.size(); ++j) {
      const auto k = static_cast<std::size_t>(i + j);
      const Extended product = a.coefficient(i) * b.coefficient(j);
      values[k] += product;
      bounds[k] += std::abs(a.coefficient(i)) * b.bound(j) + a.bound(i) * (std::abs(b.coefficient(j)) + b.bound(j)) +
                   2 * extended_epsilon * std::abs(product);
    }
  return {values, bounds};
}

std::vector<Extended> positive_roots(const Polynomial& given) {
  if (given.degree() <= 0) return {};
  const Polynomial p = without_zero_roots(given);
  if (p.degree() <= 0) return {};
  // Between neighbouring turning points there is at most one root.
  std::vector<Extended> turns = positive_roots(p.derivative());
  turns.push_back(std::max(root_bound(p), turns.empty() ? 0 : 2 * turns.back()));
  std::vector<Extended> roots;
  Extended low = 0;
  int below = sign(p.coefficient(0));
  for (const Extended turn : turns) {
    const bool touches = std::abs(p(turn)) <= p.uncertainty(turn);
    const int here = touches ? 0 : sign(p(turn));
    if (touches)
      roots.push_back(turn);
    else if (below * here < 0)
      roots.push_back(bisect(p, low, turn));
    low = turn;
    below = here;
  }
  return roots;
}

Polynomial interpolate(int degree, const std::function<ComplexSample(std::complex<Extended>)>& sample) {
  const int n = degree + 1;
  const auto terms = static_cast<std::size_t>(n);
  std::vector<Extended> values(terms, 0), bounds(terms, std::numeric_limits<Extended>::infinity());
  std::vector<std::complex<Extended>> at_points(terms);
  const auto unit = [n](int k) { return std::polar(Extended(1), 2 * std::numbers::pi_v<Extended> * k / n); };
  for (Extended radius = 0.0625L; radius < 1e6L; radius *= 4) {
    Extended error = 0;
    for (int j = 0; j < n; ++j) {
      const ComplexSample s = sample(radius * unit(j));
      at_points[static_cast<std::size_t>(j)] = s.value;
      error = std::max(error, s.error + 4 * extended_epsilon * std::abs(s.value));
    }
    Extended power = 1;
    for (int k = 0; k < n; ++k, power *= radius) {
      std::complex<Extended> sum = 0;
      for (int j = 0; j < n; ++j) sum += at_points[static_cast<std::size_t>(j)] * unit((n - j) * k % n);
      if (const auto i = static_cast<std::size_t>(k); error / power < bounds[i]) {
        values[i] = sum.real() / (n * power);
        bounds[i] = error / power;
      }
    }
  }
  return {values, bounds};
}
}  // namespace trill
