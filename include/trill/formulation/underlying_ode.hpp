// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "trill/linalg/linear_solver.hpp"
#include "trill/problem/mechanical.hpp"

namespace trill {
// Acceleration and multipliers of a constrained mechanical system from one saddle-point solve:
//   [M G^T; G 0] [a; lambda] = [f; -(v^T H v + 2 g_qt v + g_tt)]     (PJY97 sec. 3.2, YPR98 eq. 2.6)
// Needs G M^-1 G^T regular. The constraints then hold in the exact flow, while a numerical solution drifts off slowly.
class UnderlyingOde {
 public:
  explicit UnderlyingOde(const MechanicalProblem& problem);
  bool solve(double t, In q, In v, Out a, Out lambda);  // false: constraints dependent or mass singular there
  Index multipliers() const { return m_; }

 private:
  const MechanicalProblem& problem_;
  const ConstraintMap& map_;
  Index n_, m_;
  MatrixSlot mass_, G_, saddle_;
  SlotMap mass_places_, G_places_;
  std::unique_ptr<LinearSolver> solver_;
  Vec rhs_, solution_;
};
}  // namespace trill
