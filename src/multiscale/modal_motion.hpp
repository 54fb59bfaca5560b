// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "linalg/exponential_ladder.hpp"
#include "multiscale/load_polynomial.hpp"

namespace trill {
// x'' + D x' + Lambda x = loads p(t), with diagonal Lambda and, unless `coupling` is given, a diagonal D.
struct ModalSystem {
  Vec lambda, damping;
  Mat coupling;  // D as a full matrix; empty: it is diagonal
  Mat loads;
  Mat stiffness{};  // Lambda as a full matrix, which only a coupled system may have; empty: it is diagonal
  Index size() const { return lambda.size(); }
};

// The exact motion of such a system: scalar oscillators, or the exponential of the matrix if damping couples them.
class ModalMotion {
 public:
  ModalMotion(const ModalSystem& system, const LinearStructure& structure);
  // Moves (x, v) from t to t + h. No load may jump in between.
  void advance(double t, double h, Out x, Out v);

 private:
  void move_oscillators(double h, Out x, Out v);
  void move_coupled(double h, Out x, Out v);
  void build_ladder();

  const ModalSystem& system_;
  LoadPolynomial factors_;
  OscillatorResponse response_;
  // Of x, the velocities divided by speed_, and the derivatives of all factors.
  ExponentialLadder ladder_;
  double speed_ = 1;  // the highest frequency: so both are of one size
  Mat transition_;    // for the time prepared_
  double prepared_ = 0, last_ = 0;
  Vec together_, moved_;
};
}  // namespace trill
