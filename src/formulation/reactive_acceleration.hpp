// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "formulation/constraint_manifold.hpp"
#include "problem/reactive.hpp"
#include "trill/linalg/linear_solver.hpp"

namespace trill {
// Accelerations and multipliers of a system whose forces depend on the multipliers of its hard constraints:
//   M a + G^T lambda = f + r(lambda),  G a + eta = 0
// by Newton's iteration for those multipliers. They are the last rows of the manifold; rows of gaps may come before
// them.
class ReactiveAcceleration {
 public:
  ReactiveAcceleration(const ReactionForces& forces, Index unknowns, Index rows, Index hard);
  // The manifold stands at (t, q). f: the forces without r. false: there is no solution near the one without r.
  bool solve(ConstraintManifold& manifold, double t, In q, In v, In f, Out a, Out lambda);
  // The same after M a + G^T lambda = f + r(lambda) has been solved in another way, so that f need not be evaluated
  // again: moves a and lambda to G a + eta = 0.
  bool close(ConstraintManifold& manifold, double t, In q, In v, Out a, Out lambda);

 private:
  bool correct(ConstraintManifold& manifold, double t, In q, In v);

  const ReactionForces& forces_;
  Index hard_;
  ReactionForces::Patterns slopes_;
  MatrixSlot matrix_;
  std::unique_ptr<LinearSolver> solver_;
  Vec f_, r_, x_, balance_, mu_, zero_, unit_;
  Vec hard_lambda_, off_;  // the multipliers tried last, and by how much they miss those that follow from them
};
}  // namespace trill
