// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "linalg/oscillator_response.hpp"
#include "problem/structure.hpp"

namespace trill {
// The factors of the loads of a structure over a short time, as polynomials that agree with them to rounding.
class LoadPolynomial {
 public:
  explicit LoadPolynomial(const LinearStructure& structure);

  // Fits polynomials on [t, t + h], or on a first part of it if they would not agree with the factors on the whole.
  // Returns the length of that part. There must be no jump inside.
  double fit(double t, double h);
  // derivatives()(k, i) is the k-th derivative of factor i at t.
  const Mat& derivatives() const { return derivatives_; }
  // Derivative k of factor i at t + s.
  double at(int k, Index i, double s) const;

 private:
  static constexpr Index points = most_force_degree + 1;
  void look(double t);
  // How far the polynomials on [t, t + h] are from the factors, and that over the size of the factor.
  struct Misfit {
    double absolute = 0, relative = 0;
  };
  Misfit try_fit(double t, double h);

  const LinearStructure& structure_;
  Mat to_coefficients_;              // from values at the points to coefficients of powers of (time - t) / h
  Vec places_, now_, first_, size_;  // first_: the factors at the first point
  Mat values_, coefficients_, derivatives_;
};

// How much the factors of loads and their derivatives move over a run: what the bounds of a reduction need. Row k is
// about the k-th derivative, a column about one load.
inline constexpr Index most_load_derivative = 6;
struct LoadVariation {
  Mat jumps;    // |p^(k)(t0)| and the sum of all jumps
  Mat total;    // total variation between the jumps
  Mat largest;  // |p^(k)|
};
LoadVariation load_variation(const LinearStructure& structure, double t0, double t1);
// Where factors of loads jump or have a kink, and the ends of the stretch; ascending.
std::vector<double> load_breaks(const LinearStructure& structure, double t0, double t1);
}  // namespace trill
