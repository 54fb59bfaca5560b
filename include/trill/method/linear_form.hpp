// SPDX-License-Identifier: BSD-3-Clause
// For authors of methods: one step on the linear oscillator, from which stability is computed exactly.
#pragma once

#include "trill/linalg/polynomial.hpp"
#include "trill/method/implicit_tableau.hpp"

#include <functional>

namespace trill {
struct ExplicitTableau;

// One step on q' = omega p, p' = -omega q as a matrix of rational functions of mu = h omega. With x = mu^2
//
//   M(mu) = [[n11, mu n12], [-mu n21, n22]] / q,   det M = det / q,
//
// and q(0) = 1. A method provides it by a static linear_form(const Options&); see docs/guide/writing_a_method.md.
struct LinearForm {
  Polynomial q, n11, n12, n21, n22, det;
  bool two_step = false;  // y_{n+1} - tr(M) y_n + y_{n-1} = 0 is the method; M is one matrix with that trace
};

// M(mu) at one mu, with e11 and e22 the diagonal of M - I, so that determinant and discriminant are free of
// cancellation.
struct StepMatrix {
  Extended e11, m12, m21, e22, det_minus_one;
  Extended half_trace() const { return 1 + (e11 + e22) / 2; }
  // det - (tr/2)^2: positive for a complex pair of eigenvalues.
  Extended discriminant() const { return -(e11 - e22) * (e11 - e22) / 4 - m12 * m21; }
};
StepMatrix step_matrix(const LinearForm& form, Extended mu);

// JP95 eq. 8 with (A, b) for positions and (Ah, bh) for velocities.
LinearForm runge_kutta_form(const ExtendedTableau& tableau);
LinearForm runge_kutta_form(const ImplicitTableau& tableau);
LinearForm runge_kutta_form(const ExplicitTableau& tableau);
LinearForm partitioned_form(const ExtendedTableau& position, const ExtendedTableau& velocity);

// Y_i = y + c_i h y' + h^2 sum a_ij f(Y_j), y1 = y + h y' + h^2 sum b_i f(Y_i), y1' = y' + h sum b'_i f(Y_i)
struct NystroemTableau {
  Vec c, b, b_prime;
  Mat A;
};
LinearForm nystroem_form(const NystroemTableau& tableau);

// y_{n+1} - trace(x) y_n + y_{n-1} = 0 with trace = numerator / denominator, numerator(0) = 2, denominator(0) = 1;
// coefficients of x^0, x^1, ...
LinearForm two_step_form(const std::vector<double>& numerator, const std::vector<double>& denominator);

// Parts of splitting methods. Drift: q += fraction mu p; kick: p -= mu force(x) q.
LinearForm drift_form(Extended fraction);
LinearForm kick_form(const Polynomial& force);
LinearForm with_step(const LinearForm& form, double fraction);  // the step h replaced by fraction h
LinearForm operator*(const LinearForm& second, const LinearForm& first);
LinearForm verlet_form();  // kick, drift, kick

// One step on q'' = -omega^2 q - eps q, whose first force is fast and solved exactly, and whose second force is slow: a
// kick by h/2 G, the fast motion, a kick by h/2 G, where
//
//   G(q) = -eps mollify(theta) average(theta) q,   theta = h omega.
struct SplitForm {
  std::function<double(double theta)> average, mollify;
};
}  // namespace trill
