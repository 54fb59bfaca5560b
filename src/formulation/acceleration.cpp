// SPDX-License-Identifier: BSD-3-Clause
#include "trill/formulation/acceleration.hpp"

namespace trill {
Acceleration::Acceleration(const MechanicalProblem& problem, Groups groups)
    : problem_(problem), groups_(groups), counted_(groups & known_groups(problem)), kind_(problem.mass_kind()) {}

void Acceleration::start(In q) {
  if (kind_ == MassKind::identity) return;
  mass_ = problem_.mass_pattern();
  work_.resize(q.size());
  if (kind_ != MassKind::diagonal) {
    solver_ = make_linear_solver(mass_);
    solver_->analyse(mass_);
  }
  if (!factorise(q))
    throw UsageError(
        "some motion of '" + problem_.name() +
        "' has no mass at the start, and this method divides by the mass; use generalized_alpha, bdf or dop853");
}

bool Acceleration::factorise(In q) {
  problem_.mass(q, mass_);
  if (kind_ != MassKind::diagonal) return solver_->factorise(mass_);
  inverse_.resize(q.size());
  for (Index i = 0; i < q.size(); ++i) {
    const double m = *mass_.entry(i, i);
    if (!(m > 0)) return false;
    inverse_[i] = 1 / m;
  }
  return true;
}

bool Acceleration::divide_by_mass(In q, Out a) {
  if (kind_ == MassKind::identity) return true;
  if (kind_ == MassKind::diagonal) {
    a.array() *= inverse_.array();
    return true;
  }
  if (kind_ == MassKind::of_q && !factorise(q)) return false;
  work_ = a;
  solver_->solve(work_, a);
  return true;
}
}  // namespace trill
