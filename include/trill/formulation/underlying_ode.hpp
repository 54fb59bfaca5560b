// SPDX-License-Identifier: BSD-3-Clause
// For authors of methods: constrained systems as ordinary differential equations.
#pragma once

#include "trill/problem/mechanical.hpp"

#include <memory>

namespace trill {
class ConstraintManifold;

// Acceleration and multipliers of a constrained mechanical system from one saddle-point solve:
//   [M G^T; G 0] [a; lambda] = [f; -(v^T H v + 2 g_qt v + g_tt)]     (PJY97 sec. 3.2, YPR98 eq. 2.2)
// Needs independent constraints. The mass may be singular where they hold what has none. The constraints then hold in
// the exact flow, while a numerical solution drifts off slowly.
class UnderlyingOde {
 public:
  explicit UnderlyingOde(const MechanicalProblem& problem);
  ~UnderlyingOde();
  bool solve(double t, In q, In v, Out a, Out lambda);  // false: constraints dependent or mass singular there
  Index multipliers() const;
  bool has_sparse_factors() const;
  void forget();  // pivot orders of earlier matrices; allocates

 private:
  const MechanicalProblem& problem_;
  std::unique_ptr<ConstraintManifold> manifold_;
  Vec force_;
};
}  // namespace trill
