// SPDX-License-Identifier: BSD-3-Clause
#include "model/text/text_acceleration.hpp"

#include <limits>

namespace trill {
void TextAcceleration::prepare() {
  const Index n = problem_.layout().nq;
  f_ = r_ = a_ = Vec::Zero(n);
  const bool diagonal = problem_.mass_kind() == MassKind::identity || problem_.mass_kind() == MassKind::diagonal;
  if (const ConstraintMap* map = problem_.constraints()) {
    saddle_.emplace(diagonal ? MassShape::diagonal : MassShape::full, problem_.mass_pattern(), map->pattern());
    eta_ = lambda_ = Vec::Zero(map->count());
    return;
  }
  mass_ = problem_.mass_pattern();
  solver_ = make_linear_solver(mass_);
  solver_->analyse(mass_);
}

bool TextAcceleration::solve(const State& s) {
  problem_.force(all_groups, s.t, s.q(), s.v(), f_);
  if (reactions_.has_reaction_forces()) {
    reactions_.reaction_force(s.t, s.q(), s.v(), s.lambda(), r_);
    f_ += r_;
  }
  if (!saddle_) {
    problem_.mass(s.q(), mass_);
    if (!solver_->factorise(mass_)) return false;
    solver_->solve(f_, a_);
    return true;
  }
  problem_.mass(s.q(), saddle_->mass());
  saddle_->change_mass();
  problem_.constraints()->slope_and_curvature(s.t, s.q(), s.v(), saddle_->rows(), eta_);
  if (!saddle_->factorise()) return false;
  saddle_->solve(f_, eta_, a_, lambda_);
  return true;
}

const Vec& TextAcceleration::at(const State& s) {
  if (a_.size() == 0) prepare();
  if (!solve(s)) a_.setConstant(std::numeric_limits<double>::quiet_NaN());
  return a_;
}
}  // namespace trill
