// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "linalg/dense_decompositions.hpp"
#include "linalg/differences.hpp"
#include "trill/formulation/acceleration.hpp"

namespace trill {
// The frequencies of M^-1 (-df/dq) at a point of a stiff system, in two groups: fast ones, whose square is more than a
// thousandth of the largest square unless their number is known, and the rest. Small systems are solved with dense
// matrices and also give the modes; large ones are solved by Lanczos iterations on products with the Hessian.
class FastSpectrum {
 public:
  static constexpr Index dense_up_to = 120;

  explicit FastSpectrum(const MechanicalProblem& stiff);
  void start(In q);                                // allocates
  void expect(Index count) { expected_ = count; }  // number of fast modes in small systems; 0: not known
  Index expected() const { return expected_; }
  bool find(double t, In q, In v);  // false: no real frequency
  bool has_modes() const { return n_ <= dense_up_to; }

  double slowest() const { return slowest_; }  // lowest frequency in the fast group
  double fastest() const { return fastest_; }
  double rest() const { return rest_; }   // largest |frequency| of the others, including unstable ones
  Index count() const { return count_; }  // size of the fast group; for large systems, those that were found
  // Fast modes by increasing frequency, u^T M u = 1. Small systems only.
  auto frequencies() const { return frequencies_.tail(count_); }
  auto mode(Index k) const { return modes_.col(n_ - count_ + k); }
  double nearest() const;  // smallest distance between two of them; 0: there is only one
  void times_mass(In x, Out y) const;
  std::int64_t jacobians() const { return jacobians_; }
  std::int64_t products() const { return products_; }  // with the Hessian

 private:
  bool find_densely(double t, In q, In v);
  void scale_by_mass();
  bool find_by_lanczos(double t, In q, In v);
  void product(double t, In q, In v, In x, Out y);  // M^-1 (-f'(q) x)
  void divide(const Vec& squares);

  const MechanicalProblem& stiff_;
  Index n_;
  double slowest_ = 0, fastest_ = 0, rest_ = 0;
  Index count_ = 0, expected_ = 0;
  std::int64_t jacobians_ = 0, products_ = 0;
  Vec frequencies_;  // for all modes
  Mat modes_;
  MatrixSlot mass_, slope_, damping_;
  DifferenceJacobian differences_;
  Mat stiffness_, transposed_;
  Cholesky mass_factor_;
  SymmetricEigen solver_;
  Acceleration accelerate_;
  Mat basis_;
  Vec moved_, f0_, f1_, w_;
};
}  // namespace trill
