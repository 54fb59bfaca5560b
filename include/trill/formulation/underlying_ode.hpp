// SPDX-License-Identifier: BSD-3-Clause
// For authors of methods: constrained systems as ordinary differential equations.
#pragma once

#include "trill/linalg/linear_solver.hpp"
#include "trill/problem/mechanical.hpp"

namespace trill {
class SchurSystem;

// Acceleration and multipliers of a constrained mechanical system from one saddle-point solve:
//   [M G^T; G 0] [a; lambda] = [f; -(v^T H v + 2 g_qt v + g_tt)]     (PJY97 sec. 3.2, YPR98 eq. 2.2)
// Needs G M^-1 G^T regular. The constraints then hold in the exact flow, while a numerical solution drifts off slowly.
class UnderlyingOde {
 public:
  explicit UnderlyingOde(const MechanicalProblem& problem);
  ~UnderlyingOde();
  bool solve(double t, In q, In v, Out a, Out lambda);  // false: constraints dependent or mass singular there
  Index multipliers() const { return m_; }

  // The same matrix with other right-hand sides: M x + G^T mu = r, G x + c = 0. The mass may be singular where the
  // constraints hold what has none.
  bool factorise(double t, In q);
  void solve(In r, In c, Out x, Out mu);
  const MatrixSlot& jacobian() const;
  bool has_sparse_factors() const { return saddle_.is_sparse(); }
  void forget();  // pivot orders of earlier matrices; allocates

 private:
  const MechanicalProblem& problem_;
  const ConstraintMap& map_;
  Index n_, m_;
  MatrixSlot mass_, G_, saddle_;
  SlotMap mass_places_, G_places_, transposed_places_;
  std::unique_ptr<LinearSolver> solver_;
  // Sparse, of a diagonal mass: it fills in less than the whole matrix. Not for light bodies among heavy ones, where it
  // has no digits left.
  std::unique_ptr<SchurSystem> schur_;
  bool judged_ = false, by_schur_ = false;
  Vec force_, curvature_, rhs_, solution_;
};
}  // namespace trill
