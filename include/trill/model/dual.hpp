// SPDX-License-Identifier: BSD-3-Clause
// For authors of models: numbers that carry their derivatives along.
#pragma once

#include <array>
#include <cmath>
#include <cstddef>
#include <utility>

namespace trill {
// A value with its derivatives with respect to N unknowns, up to the given order (automatic differentiation). Functions
// that are templates in the number type, such as
//   template <class T> T energy(const T* q) { using std::sqrt; return sqrt(q[0]*q[0] + q[1]*q[1]); }
// also give their derivatives, exact up to rounding, when they are called with Jets. Comparisons look at the value
// only, so in a piecewise function the derivatives are those of the branch that was taken.
template <int N, int order>
struct Jet {
  static_assert(N >= 1 && (order == 1 || order == 2));
  static constexpr std::size_t unknowns = N, pairs = order == 2 ? N * (N + 1) / 2 : 0;
  double value = 0;
  std::array<double, unknowns> slope{};
  std::array<double, pairs> curvature{};  // the lower triangle, row by row

  Jet() = default;
  Jet(double constant) : value(constant) {}
  template <std::size_t k>
  static Jet unknown(double at) {
    Jet x(at);
    x.slope[k] = 1;
    return x;
  }

  Jet& operator+=(const Jet& b) { return *this = *this + b; }
  Jet& operator-=(const Jet& b) { return *this = *this - b; }
  Jet& operator*=(const Jet& b) { return *this = *this * b; }
  Jet& operator/=(const Jet& b) { return *this = *this / b; }

  // Builds a Jet from its value and from functions that give one entry of the slope or of the curvature.
  template <class Slope, class Curvature>
  static Jet make(double value, Slope slope_of, Curvature curvature_of) {
    Jet r(value);
    // Unrolled by hand with compile-time indices: with a loop, gcc 12 at -O2 keeps the slopes in memory, which made
    // forces seven times slower.
    [&]<std::size_t... i>(std::index_sequence<i...>) { ((r.slope[i] = slope_of(i)), ...); }
    (std::make_index_sequence<unknowns>());
    if constexpr (order == 2)
      for (std::size_t i = 0, k = 0; i < unknowns; ++i)
        for (std::size_t j = 0; j <= i; ++j, ++k) r.curvature[k] = curvature_of(k, i, j, r);
    return r;
  }

  friend Jet operator-(const Jet& a) { return chain(a, -a.value, -1, 0); }
  friend Jet operator+(const Jet& a) { return a; }
  friend Jet operator+(const Jet& a, const Jet& b) {
    return make(
        a.value + b.value, [&](auto i) { return a.slope[i] + b.slope[i]; },
        [&](auto k, auto, auto, auto&) { return a.curvature[k] + b.curvature[k]; });
  }
  friend Jet operator-(const Jet& a, const Jet& b) {
    return make(
        a.value - b.value, [&](auto i) { return a.slope[i] - b.slope[i]; },
        [&](auto k, auto, auto, auto&) { return a.curvature[k] - b.curvature[k]; });
  }
  friend Jet operator*(const Jet& a, const Jet& b) {
    return make(
        a.value * b.value, [&](auto i) { return a.value * b.slope[i] + b.value * a.slope[i]; },
        [&](auto k, auto i, auto j, auto&) {
          return a.value * b.curvature[k] + b.value * a.curvature[k] + a.slope[i] * b.slope[j] +
                 a.slope[j] * b.slope[i];
        });
  }
  friend Jet operator/(const Jet& a, const Jet& b) {
    const double q = a.value / b.value, inverse = 1 / b.value;
    return make(
        q, [&](auto i) { return (a.slope[i] - q * b.slope[i]) * inverse; },
        [&](auto k, auto i, auto j, auto& r) {
          return (a.curvature[k] - q * b.curvature[k] - r.slope[i] * b.slope[j] - r.slope[j] * b.slope[i]) * inverse;
        });
  }
  friend Jet operator+(const Jet& a, double b) {
    Jet r = a;
    r.value += b;
    return r;
  }
  friend Jet operator+(double a, const Jet& b) { return b + a; }
  friend Jet operator-(const Jet& a, double b) { return a + -b; }
  friend Jet operator-(double a, const Jet& b) { return -b + a; }
  friend Jet operator*(const Jet& a, double b) { return chain(a, a.value * b, b, 0); }
  friend Jet operator*(double a, const Jet& b) { return b * a; }
  friend Jet operator/(const Jet& a, double b) { return chain(a, a.value / b, 1 / b, 0); }

  friend bool operator<(const Jet& a, const Jet& b) { return a.value < b.value; }
  friend bool operator>(const Jet& a, const Jet& b) { return a.value > b.value; }
  friend bool operator<=(const Jet& a, const Jet& b) { return a.value <= b.value; }
  friend bool operator>=(const Jet& a, const Jet& b) { return a.value >= b.value; }
  friend bool operator==(const Jet& a, const Jet& b) { return a.value == b.value; }

  friend Jet sqrt(const Jet& a) {
    const double f = std::sqrt(a.value);
    return chain(a, f, 0.5 / f, -0.25 / (f * a.value));
  }
  friend Jet exp(const Jet& a) {
    const double f = std::exp(a.value);
    return chain(a, f, f, f);
  }
  friend Jet log(const Jet& a) { return chain(a, std::log(a.value), 1 / a.value, -1 / (a.value * a.value)); }
  friend Jet sin(const Jet& a) {
    const double f = std::sin(a.value);
    return chain(a, f, std::cos(a.value), -f);
  }
  friend Jet cos(const Jet& a) {
    const double f = std::cos(a.value);
    return chain(a, f, -std::sin(a.value), -f);
  }
  friend Jet tan(const Jet& a) {
    const double f = std::tan(a.value), slope = 1 + f * f;
    return chain(a, f, slope, 2 * f * slope);
  }
  friend Jet asin(const Jet& a) {
    const double square = (1 - a.value) * (1 + a.value), root = std::sqrt(square);
    return chain(a, std::asin(a.value), 1 / root, a.value / (square * root));
  }
  friend Jet acos(const Jet& a) {
    const double square = (1 - a.value) * (1 + a.value), root = std::sqrt(square);
    return chain(a, std::acos(a.value), -1 / root, -a.value / (square * root));
  }
  friend Jet atan(const Jet& a) {
    const double slope = 1 / (1 + a.value * a.value);
    return chain(a, std::atan(a.value), slope, -2 * a.value * slope * slope);
  }
  friend Jet sinh(const Jet& a) {
    const double f = std::sinh(a.value);
    return chain(a, f, std::cosh(a.value), f);
  }
  friend Jet cosh(const Jet& a) {
    const double f = std::cosh(a.value);
    return chain(a, f, std::sinh(a.value), f);
  }
  friend Jet tanh(const Jet& a) {
    const double f = std::tanh(a.value), slope = 1 - f * f;
    return chain(a, f, slope, -2 * f * slope);
  }
  friend Jet abs(const Jet& a) { return a.value < 0 ? -a : a; }
  friend Jet pow(const Jet& a, double b) {
    const double slope = b == 0 ? 0 : b * std::pow(a.value, b - 1);
    return chain(a, std::pow(a.value, b), slope, b == 0 || b == 1 ? 0 : b * (b - 1) * std::pow(a.value, b - 2));
  }
  friend Jet pow(const Jet& a, const Jet& b) { return exp(b * log(a)); }
  friend Jet hypot(const Jet& a, const Jet& b) { return sqrt(a * a + b * b); }
  friend Jet atan2(const Jet& y, const Jet& x) {
    const double square = x.value * x.value + y.value * y.value, by_y = x.value / square, by_x = -y.value / square;
    const double mixed = by_x * by_x - by_y * by_y, twice = 2 * by_x * by_y;
    return make(
        std::atan2(y.value, x.value), [&](auto i) { return by_y * y.slope[i] + by_x * x.slope[i]; },
        [&](auto k, auto i, auto j, auto&) {
          return by_y * y.curvature[k] + by_x * x.curvature[k] +
                 twice * (y.slope[i] * y.slope[j] - x.slope[i] * x.slope[j]) +
                 mixed * (y.slope[i] * x.slope[j] + y.slope[j] * x.slope[i]);
        });
  }
  friend Jet min(const Jet& a, const Jet& b) { return b.value < a.value ? b : a; }
  friend Jet max(const Jet& a, const Jet& b) { return a.value < b.value ? b : a; }

 private:
  static Jet chain(const Jet& a, double f, double first, double second) {
    return make(
        f, [&](auto i) { return first * a.slope[i]; },
        [&](auto k, auto i, auto j, auto&) { return first * a.curvature[k] + second * a.slope[i] * a.slope[j]; });
  }
};

template <int N>
using Dual = Jet<N, 1>;
template <int N>
using SecondDual = Jet<N, 2>;
}  // namespace trill
