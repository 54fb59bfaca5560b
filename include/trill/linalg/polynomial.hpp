// SPDX-License-Identifier: BSD-3-Clause
// For authors of methods with a linear form (LinearForm): polynomials with error bounds on their coefficients.
#pragma once

#include "trill/base/types.hpp"

#include <complex>
#include <functional>
#include <vector>

namespace trill {
// Real polynomial in x with an error bound for each coefficient. A coefficient that is not larger than its bound counts
// as zero. Sums and products update the bounds, so that a difference that is zero up to rounding has degree -1.
class Polynomial {
 public:
  Polynomial() = default;
  Polynomial(std::initializer_list<Extended> exact) : Polynomial(std::vector<Extended>(exact)) {}
  explicit Polynomial(std::vector<Extended> exact);
  Polynomial(std::vector<Extended> values, std::vector<Extended> bounds);

  int degree() const;  // -1: zero
  Extended coefficient(int k) const { return k < size() ? values_[static_cast<std::size_t>(k)] : 0; }
  Extended bound(int k) const { return k < size() ? bounds_[static_cast<std::size_t>(k)] : 0; }
  Extended operator()(Extended x) const;
  Extended uncertainty(Extended x) const;  // error bound of the value at x, for x >= 0
  Polynomial derivative() const;
  Polynomial scaled(Extended factor, Extended rounding) const;     // factor * p(x); rounding: relative error of factor
  Polynomial stretched(Extended factor, Extended rounding) const;  // p(factor * x), likewise
  Polynomial divided_by_power(int k) const;                        // p(x) / x^k; x^k must divide p
  Polynomial truncated(int terms) const;

  friend Polynomial operator+(const Polynomial& a, const Polynomial& b);
  friend Polynomial operator-(const Polynomial& a, const Polynomial& b);
  friend Polynomial operator*(const Polynomial& a, const Polynomial& b);
  friend Polynomial operator*(Extended factor, const Polynomial& a) { return a.scaled(factor, 0); }

 private:
  int size() const { return static_cast<int>(values_.size()); }
  std::vector<Extended> values_, bounds_;
};

// Roots x > 0 in increasing order, each listed once. A point where |p| is below its uncertainty without a change of
// sign counts as a double root.
std::vector<Extended> positive_roots(const Polynomial& p);

// A value with an estimate of its error.
struct ComplexSample {
  std::complex<Extended> value;
  Extended error;
};
// The polynomial of at most this degree through values on circles in the complex plane. Each coefficient is taken from
// the circle that gives it most accurately.
Polynomial interpolate(int degree, const std::function<ComplexSample(std::complex<Extended>)>& sample);
}  // namespace trill
