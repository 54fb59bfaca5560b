// SPDX-License-Identifier: BSD-3-Clause
#include "trill/formulation/underlying_ode.hpp"

#include "formulation/constraint_manifold.hpp"

namespace trill {
namespace {
const ConstraintMap& constraints_of(const MechanicalProblem& problem) {
  if (!problem.constraints())
    throw UsageError("'" + problem.name() +
                     "' has no constraints, so that its equations are an ordinary differential equation already");
  return *problem.constraints();
}
}  // namespace

UnderlyingOde::UnderlyingOde(const MechanicalProblem& problem)
    : problem_(problem),
      manifold_(std::make_unique<ConstraintManifold>(problem, constraints_of(problem))),
      force_(problem.layout().nq) {}

UnderlyingOde::~UnderlyingOde() = default;

Index UnderlyingOde::multipliers() const { return manifold_->rows(); }
bool UnderlyingOde::has_sparse_factors() const { return manifold_->has_sparse_factors(); }
void UnderlyingOde::forget() { manifold_->forget(); }

bool UnderlyingOde::solve(double t, In q, In v, Out a, Out lambda) {
  if (!manifold_->stand_at(t, q)) return false;
  problem_.force(all_groups, t, q, v, force_);
  manifold_->accelerate(force_, v, a, lambda);
  return true;
}
}  // namespace trill
