// SPDX-License-Identifier: BSD-3-Clause
#include "formulation/constraint_manifold.hpp"

#include "base/tolerances.hpp"
#include "linalg/copies.hpp"
#include "trill/linalg/kernels.hpp"

#include <cmath>
#include <limits>

namespace trill {
namespace {
// Relative to the size of q: a correction at rounding level, and one whose square is at that level.
constexpr double settled = 4 * std::numeric_limits<double>::epsilon(), square_settled = 1e-9;
constexpr int patience_in_step = 3, patience_at_start = 40;  // iterations before corrections must shrink
// Relative to 1 + the size of q: corrections this small that no longer shrink may be caused by rounding in g.
constexpr double noise = 1e-11;
constexpr int iterations_beyond_patience = 9;

constexpr int max_chords = 8;
constexpr double chord_settled = 1e-8;  // relative: the chord step after one of this size is below rounding

struct Correction {
  double moved = 0, size = 0, rate = 0;  // rate: relative to the previous correction, NaN for the first
};

Correction move(In q0, In x, double last, Out q) {
  Correction by;
  for (Index i = 0; i < q.size(); ++i) {
    const double next = q0[i] - x[i];
    by.moved = std::max(by.moved, std::abs(next - q[i]));
    by.size = std::max({by.size, std::abs(next), std::abs(q0[i])});  // the nearest point may be q = 0
    q[i] = next;
  }
  by.rate = by.moved / last;
  return by;
}

bool is_near(const Correction& by, ConstraintManifold::Effort effort) {
  if (by.rate >= 1 && by.moved <= noise * (1 + by.size)) return true;
  if (effort == ConstraintManifold::Effort::step) return by.moved <= square_settled * by.size;
  return by.rate < 0.5 && by.rate * by.moved <= settled * by.size;
}

MassShape shape_of(const MechanicalProblem& problem, ConstraintManifold::Metric metric) {
  if (metric == ConstraintManifold::Metric::identity) return MassShape::identity;
  switch (problem.mass_kind()) {
    case MassKind::identity:
      return MassShape::identity;
    case MassKind::diagonal:
      return MassShape::diagonal;
    default:
      return MassShape::full;
  }
}

MatrixSlot identity_slot(Index n) {
  SpMat pattern(n, n);
  pattern.setIdentity();
  MatrixSlot slot = MatrixSlot::sparse(std::move(pattern));
  for (Index i = 0; i < n; ++i) slot.add(i, i, 1);
  return slot;
}
}  // namespace

ConstraintManifold::ConstraintManifold(const MechanicalProblem& problem, const ConstraintMap& map,
                                       SaddleSolver::Way way, Metric metric)
    : problem_(problem),
      map_(map),
      moving_(map.moving()),
      unit_(metric == Metric::identity),
      saddle_(shape_of(problem, metric), unit_ ? identity_slot(problem.layout().nq) : problem.mass_pattern(),
              map.pattern(), way),
      q_(Vec::Zero(problem.layout().nq)),
      x_(q_),
      c_(Vec::Zero(map.count())),
      g_(c_),
      work_m_(c_) {}

void ConstraintManifold::take_mass(In q) {
  if (unit_ || mass_known_) return;
  problem_.mass(q, saddle_.mass());
  saddle_.change_mass();
  mass_known_ = problem_.mass_kind() != MassKind::of_q;
}

bool ConstraintManifold::factorise(double t, In q) {
  t_ = t;
  copy_settled(q.data(), q.size(), q_.data());
  return saddle_.factorise();
}

bool ConstraintManifold::stand_at(double t, In q) {
  take_mass(q);
  map_.jacobian(t, q, saddle_.rows());
  return factorise(t, q);
}

bool ConstraintManifold::stand_at(double t, In q, In v, Vec& curvature) {
  take_mass(q);
  map_.slope_and_curvature(t, q, v, saddle_.rows(), curvature);
  return factorise(t, q);
}

bool ConstraintManifold::stand_at(double t, In q, In v, const JointTerms& terms, Vec& force, Vec& curvature) {
  take_mass(q);
  terms.force_and_curvature(t, q, v, force, saddle_.rows(), curvature);
  return factorise(t, q);
}

Closing ConstraintManifold::stay_for(In q) {
  q_ = q;
  return Closing::ok;
}

// G (x - x_k) = g(q0 - x_k) with x = M^-1 G^T mu.
Closing ConstraintManifold::nearest(double t, In q0, Out q, Out mu, Effort effort) {
  const int patience = effort == Effort::start ? patience_at_start : patience_in_step;
  q = q0;
  x_.setZero();
  double last = std::numeric_limits<double>::quiet_NaN();
  for (int k = 0; k < patience + iterations_beyond_patience; ++k) {
    if (!stand_at(t, q)) return all_finite(q) ? Closing::singular : Closing::non_finite;
    map_.value(t, q, g_);
    if (!all_finite(g_)) return Closing::non_finite;
    slope(x_, c_);
    add_scaled(c_.data(), 1, g_.data(), c_.size());
    smallest(c_, x_, mu);
    if (!all_finite(x_)) return Closing::non_finite;
    const Correction by = move(q0, x_, last, q);
    if (by.moved <= settled * by.size) return stay_for(q);
    if (is_near(by, effort)) return stand_at(t, q) ? Closing::ok : Closing::singular;
    if (k > patience && by.rate > 0.5) return Closing::not_reached;
    last = by.moved;
  }
  return Closing::not_reached;
}

Closing ConstraintManifold::polish(double t, Out q) {
  if (!stand_at(t, q)) return Closing::singular;
  double moved = 0;
  for (int k = 0; k < max_chords; ++k) {
    map_.value(t, q, g_);
    smallest(g_, x_, work_m_);
    q -= x_;
    const double step = max_abs(x_), size = 1 + max_abs(q);
    moved = std::max(moved, step / size);
    if (step > chord_settled * size) continue;
    if (moved <= tolerance::position) return stay_for(q);  // G is accurate enough for the new point
    return stand_at(t, q) ? Closing::ok : Closing::singular;
  }
  return Closing::not_reached;
}

void ConstraintManifold::meet(In c, Out x, Out mu) {
  slope(x, g_);
  add_scaled(g_.data(), 1, c.data(), g_.size());
  smallest(g_, x_, mu);
  add_scaled(x.data(), -1, x_.data(), x_.size());
}

void ConstraintManifold::project_velocity(Out v, Out nu) {
  if (moving_)
    map_.time_derivative(t_, q_, c_);
  else
    c_.setZero();
  meet(c_, v, nu);
}

void ConstraintManifold::accelerate(In f, In v, Out a, Out lambda) {
  map_.curvature(t_, q_, v, c_);
  solve(f, c_, a, lambda);
}

void ConstraintManifold::close_acceleration(In v, Out a, Out mu) {
  map_.curvature(t_, q_, v, c_);
  meet(c_, a, mu);
}

double ConstraintManifold::reciprocal_condition() const {
  return saddle_.uses_schur() ? saddle_.schur().reciprocal_condition() : 1;
}

void ConstraintManifold::choose_again() {
  saddle_.choose_again();
  mass_known_ = false;
}

void ConstraintManifold::forget() {
  saddle_.forget();
  mass_known_ = false;
}
}  // namespace trill
