// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "multiscale/load_polynomial.hpp"
#include "trill/linalg/linear_solver.hpp"

#include <memory>

namespace trill {
// The motion of a whole structure with any damping over a time h, by the exponential of its matrix B on a small space
// of (I - gamma B)^-1, gamma = h/10 (J. van den Eshof, M. Hochbruck, SIAM J. Sci. Comput. 27 (2006) 1438-1457). Loads
// are polynomials over the step, and their derivatives are unknowns beside positions and velocities. Vectors are
// orthogonal by their energy, where K is symmetric.
class KrylovMotion {
 public:
  explicit KrylovMotion(const LinearStructure& structure);
  enum class Outcome { moved, too_long, singular };
  // Moves (u, v) from t over at most h, and sets h to the time it took: no longer than a polynomial agrees with loads.
  // `tolerance` is relative to the size of the motion. too_long: the space has grown to its limit, halve h.
  Outcome advance(double t, double& h, double tolerance, Out u, Out v);
  Index dimension() const { return dimension_; }  // of the last space
  Index factorisations() const { return factorisations_; }
  long solves() const { return solves_; }

 private:
  bool prepare(double h);
  void apply_inverse(const Vec& b, Vec& x);
  Vec weighted(const Vec& x) const;  // the matrix of the inner product times x

  const LinearStructure& structure_;
  Index n_, loads_;
  bool by_energy_;
  LoadPolynomial factors_;
  Vec load_sizes_;
  std::unique_ptr<LinearSolver> solver_;
  double h_ = 0, gamma_ = 0;
  Mat basis_, images_, hessenberg_;  // images_: the inner product times each vector
  Vec right_, next_;
  Index dimension_ = 0, factorisations_ = 0;
  long solves_ = 0;
};
}  // namespace trill
