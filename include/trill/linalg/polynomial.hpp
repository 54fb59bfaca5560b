// SPDX-License-Identifier: BSD-3-Clause
// For authors of methods that state their linear form: polynomials with bounds on their coefficients.
#pragma once

#include "trill/base/types.hpp"

#include <complex>
#include <functional>
#include <vector>

namespace trill {
// Real polynomial in x whose coefficients are known up to a bound each. A coefficient within its bound is zero: sums
// and products carry the bounds along, so that a difference which vanishes but for rounding has degree -1.
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
  Extended uncertainty(Extended x) const;  // of the value, for x >= 0
  Polynomial derivative() const;
  Polynomial scaled(Extended factor, Extended rounding) const;  // factor times it, the factor with this relative error
  Polynomial stretched(Extended factor, Extended rounding) const;  // of factor * x, likewise
  Polynomial divided_by_power(int k) const;                        // by x^k, a factor of it
  Polynomial truncated(int terms) const;

  friend Polynomial operator+(const Polynomial& a, const Polynomial& b);
  friend Polynomial operator-(const Polynomial& a, const Polynomial& b);
  friend Polynomial operator*(const Polynomial& a, const Polynomial& b);
  friend Polynomial operator*(Extended factor, const Polynomial& a) { return a.scaled(factor, 0); }

 private:
  int size() const { return static_cast<int>(values_.size()); }
  std::vector<Extended> values_, bounds_;
};

// Roots x > 0 in increasing order, each once; one where the value comes within its uncertainty without a change of sign
// counts as a double root.
std::vector<Extended> positive_roots(const Polynomial& p);

// A value with the size of its error.
struct ComplexSample {
  std::complex<Extended> value;
  Extended error;
};
// The polynomial of at most this degree through values on circles in the complex plane: every coefficient is taken from
// the circle that gives it best.
Polynomial interpolate(int degree, const std::function<ComplexSample(std::complex<Extended>)>& sample);
}  // namespace trill
