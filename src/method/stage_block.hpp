// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "linalg/complex_solver.hpp"
#include "trill/method/implicit_tableau.hpp"

#include <vector>

namespace trill {
// The stages of an implicit Runge-Kutta method as its Newton iteration sees them. The unknowns are the displacements
// W_i = Q_i - q0 - h r_v v0 of the implicit stages from straight motion with v0. They are of order h^2, so the rounding
// in S W/h is far below that of v0. A first stage with c = 0 is explicit (Lobatto IIIA), and so is a last one that no
// other stage depends on (IIIB). With k1 the acceleration at the start,
//   V = v0 + (1/h) S W + h s_k k1,      K = (1/h^2) P W + p_k k1,    P = S^2 unless partitioned.
struct StageBlock {
  // Eigenvalues 1/gamma of S, one for each complex pair; x = T y with y = T^-1 x.
  struct RealMode {
    double inverse_gamma;
    Vec left, right;  // row of T^-1, column of T
  };
  struct PairMode {
    Complex inverse_gamma;
    Vec left_real, left_imag, right_real, right_imag;  // the right ones are doubled since both of the pair count
  };

  Index stages = 0, first = 0, count = 0;  // all stages; the first implicit one, and how many are implicit
  bool explicit_first = false, explicit_last = false;
  bool stiffly_accurate = false;  // the step ends with its last stage
  // S and P have different eigenvectors, so velocity-dependent forces are left out of the Newton matrix.
  bool partitioned = false;
  bool collocation = false;
  ImplicitTableau position, velocity;
  Mat S, P, R;                  // R = P^-1: W = h^2 R K + h^2 r_k k1
  Vec s_k, p_v, p_k, r_v, r_k;  // r_v: row sums of the tableau, p_v = -P r_v
  // Stages in the limit of infinite frequency, from the distance of the start to the smooth motion (JP95 sec. 4,
  // corrected):
  // K = a + far (q~ - q0)/h^2 - p_v (v~ - v0)/h + p_k (k1 - a), and the same for multipliers.
  Vec far;
  std::vector<RealMode> reals;
  std::vector<PairMode> pairs;
  double amplification = 1;  // largest |1/gamma|: ratio of h |dV| to |dW|

  // End of a step that is not stiffly accurate, with all stages implicit: q1 = q0 + h v0 + end W,
  // v1 = v0 + end (V - v0).
  Vec end;
};

// The error estimate h (start y'(start) + sum stages_i Y'_i), where `start` is the gamma of the real mode. It is the
// difference from a quadrature formula whose order is the number of stages.
struct EmbeddedFormula {
  double start = 0;
  Vec stages;
};
EmbeddedFormula embedded_formula(const StageBlock& block);  // the block must have a real mode

StageBlock make_stage_block(const ImplicitTableau& tableau);
StageBlock make_stage_block(const PartitionedTableau& pair);

// The block of a tableau with this number of stages. It is made once and kept, as it costs as much as many steps.
const StageBlock& stage_block(ImplicitTableau (*tableau)(int stages), int stages);
const StageBlock& stage_block(PartitionedTableau (*pair)(int stages), int stages);
}  // namespace trill
