// SPDX-License-Identifier: BSD-3-Clause
#include "trill/formulation/underlying_ode.hpp"

#include "formulation/saddle_pattern.hpp"
#include "formulation/schur_system.hpp"

namespace trill {
namespace {
const ConstraintMap& constraints_of(const MechanicalProblem& problem) {
  if (!problem.constraints()) throw UsageError("'" + problem.name() + "' has no constraints");
  return *problem.constraints();
}
}  // namespace

UnderlyingOde::UnderlyingOde(const MechanicalProblem& problem)
    : problem_(problem),
      map_(constraints_of(problem)),
      n_(problem.layout().nq),
      m_(map_.count()),
      mass_(problem.mass_pattern()),
      G_(map_.pattern()),
      saddle_(saddle_pattern(mass_, G_)),
      mass_places_(saddle_, mass_),
      G_places_(saddle_, G_, n_, 0),
      transposed_places_(SlotMap::transposed(saddle_, G_, 0, n_)),
      solver_(make_linear_solver(saddle_)),
      force_(n_),
      curvature_(m_),
      rhs_(n_ + m_),
      solution_(n_ + m_) {
  solver_->analyse(saddle_);
  const MassKind kind = problem.mass_kind();
  if (saddle_.is_sparse() && G_.is_sparse() && (kind == MassKind::identity || kind == MassKind::diagonal))
    schur_ = std::make_unique<SchurSystem>(problem, map_);
}

UnderlyingOde::~UnderlyingOde() = default;

const MatrixSlot& UnderlyingOde::jacobian() const { return by_schur_ ? schur_->jacobian() : G_; }

void UnderlyingOde::forget() {
  solver_->analyse(saddle_);
  if (schur_) schur_->forget();
}

bool UnderlyingOde::factorise(double t, In q) {
  by_schur_ = schur_ && schur_->factorise(t, q);
  if (by_schur_ && !judged_ && !schur_->is_accurate()) {
    schur_.reset();
    by_schur_ = false;
  }
  judged_ = true;
  if (by_schur_) return true;
  problem_.mass(q, mass_);
  map_.jacobian(t, q, G_);
  saddle_.set_zero();
  saddle_.scale_add(1, mass_, mass_places_);
  saddle_.scale_add(1, G_, G_places_);
  saddle_.scale_add(1, G_, transposed_places_);
  return solver_->factorise(saddle_);
}

bool UnderlyingOde::solve(double t, In q, In v, Out a, Out lambda) {
  if (!factorise(t, q)) return false;
  problem_.force(all_groups, t, q, v, force_);
  map_.curvature(t, q, v, curvature_);
  solve(force_, curvature_, a, lambda);
  return true;
}

void UnderlyingOde::solve(In r, In c, Out x, Out mu) {
  if (by_schur_) return schur_->solve(r, c, x, mu);
  rhs_.head(n_) = r;
  rhs_.tail(m_) = -c;
  solver_->solve(rhs_, solution_);
  x = solution_.head(n_);
  mu = solution_.tail(m_);
}
}  // namespace trill
