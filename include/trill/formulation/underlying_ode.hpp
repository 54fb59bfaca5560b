// SPDX-License-Identifier: BSD-3-Clause
// For authors of methods: constrained systems as ordinary differential equations.
#pragma once

#include "trill/problem/mechanical.hpp"

#include <memory>

namespace trill {
class ConstraintManifold;

// Acceleration and multipliers of a constrained mechanical system from one saddle-point solve:
//   [M G^T; G 0] [a; lambda] = [f; -(v^T H v + 2 g_qt v + g_tt)]     (PJY97 sec. 3.2, YPR98 eq. 2.2)
// The constraints must be independent. The mass may be singular if the constraints determine the motion of the parts
// without mass. The exact solution then satisfies the constraints, while a numerical solution slowly drifts off.
class UnderlyingOde {
 public:
  explicit UnderlyingOde(const MechanicalProblem& problem);
  ~UnderlyingOde();
  bool solve(double t, In q, In v, Out a, Out lambda);  // false: dependent constraints or singular mass
  Index multipliers() const;
  bool has_sparse_factors() const;
  void forget();  // drops the pivot order of earlier matrices; allocates

 private:
  const MechanicalProblem& problem_;
  std::unique_ptr<ConstraintManifold> manifold_;
  Vec force_;
};
}  // namespace trill
