// SPDX-License-Identifier: BSD-3-Clause
#include "formulation/slow_manifold_start.hpp"

#include "trill/linalg/kernels.hpp"

#include <cmath>

namespace trill {
namespace {
constexpr int settling_iterations = 20;
constexpr double settled = 1e-6;     // the last correction, relative to the positions
constexpr double difference = 1e-4;  // relative to the time in which the slow motion moves by its own size

UsageError no_manifold(const LiftedForm& form) {
  return UsageError("the start of '" + form.problem().name() +
                    "' could not be moved onto the slow manifold: its gaps depend on each other or oscillate too much, "
                    "or some motion has no mass; run it without start=slow");
}

UsageError too_soft(const LiftedForm& form) {
  return UsageError(
      "the start of '" + form.problem().name() +
      "' could not be moved onto the slow manifold: its stiff gaps are not stiffer than its other forces; "
      "run it without start=slow");
}
}  // namespace

SlowManifoldStart::SlowManifoldStart(const MechanicalProblem& problem) : form_(problem) {
  if (!applies()) return;
  if (form_.reactions())
    throw UsageError("start=slow does not know forces that depend on multipliers, as '" + problem.name() +
                     "' has them");
  point_ = std::make_unique<SlowPoint>(form_);
  manifold_.emplace(problem, *form_.map());
  for (Vec* x : {&f_, &x_, &w_}) *x = Vec::Zero(form_.unknowns());
  for (Vec* x : {&c_, &g_, &mu_, &lambda_, &lambda_rate_}) *x = Vec::Zero(form_.rows());
}

SlowStart SlowManifoldStart::find(double t, In q, In v) {
  SlowStart out;
  find_lambda_rate(t, q, v);
  settle(t, q, v, out);
  measure(t, q, v, out);
  return out;
}

// By finite differences along the rigid motion through the nearest point with closed gaps.
void SlowManifoldStart::find_lambda_rate(double t, In q, In v) {
  if (point_->find(t, q, v) != SlowPoint::Status::ok) throw no_manifold(form_);
  const Vec q0 = point_->q, v0 = point_->v, a0 = point_->a;
  const double rate = point_->pace();
  lambda_rate_.setZero();
  if (rate == 0) return;
  const double dt = difference / rate;
  for (const double side : {1.0, -1.0}) {
    x_ = q0 + side * dt * v0 + 0.5 * dt * dt * a0;
    w_ = v0 + side * dt * a0;
    if (point_->find(t + side * dt, x_, w_) != SlowPoint::Status::ok) throw no_manifold(form_);
    if (side > 0)
      lambda_rate_ = point_->lambda;
    else
      lambda_rate_ -= point_->lambda;
  }
  lambda_rate_ /= 2 * dt;
}

// M (q_s - q) + G^T mu = 0, g(q_s) = C lambda(q_s, v_s), and the same for the velocities.
void SlowManifoldStart::settle(double t, In q, In v, SlowStart& out) {
  const ConstraintMap& map = *form_.map();
  const Vec& C = form_.compliance();
  if (point_->find(t, q, v) != SlowPoint::Status::ok) throw no_manifold(form_);
  out.q = point_->q;
  out.v = point_->v;
  out.a = point_->a;
  out.omega = point_->fastest_frequency();
  double moved = 0;
  for (int k = 0; k < settling_iterations; ++k) {
    if (!manifold_->stand_at(t, out.q, out.v, c_)) throw no_manifold(form_);
    form_.problem().force(form_.soft_groups(), t, out.q, out.v, f_);
    manifold_->solve(f_, c_, out.a, lambda_);
    map.value(t, out.q, g_);
    x_ = out.q - q;
    manifold_->slope(x_, c_);
    c_ = g_ - C.cwiseProduct(lambda_) - c_;
    manifold_->smallest(c_, x_);
    moved = max_abs(q - x_ - out.q);
    out.q = q - x_;
    map.time_derivative(t, out.q, g_);
    g_ -= C.cwiseProduct(lambda_rate_);
    out.v = v;
    manifold_->meet(g_, out.v, mu_);
    if (!all_finite(out.q) || !all_finite(out.v)) throw no_manifold(form_);
    if (moved <= 1e-15 * (1 + max_abs(out.q))) return;
  }
  if (moved > settled * (1 + max_abs(out.q))) throw too_soft(form_);
}

void SlowManifoldStart::measure(double t, In q, In v, SlowStart& out) {
  form_.map()->value(t, q, g_);
  for (Index i = 0; i < form_.gaps(); ++i) {
    const double open = g_[i] - form_.compliance()[i] * lambda_[i];
    out.open = std::max(out.open, std::abs(open));
    out.fast_energy += 0.5 * open * open / form_.compliance()[i];
  }
  x_ = v - out.v;
  form_.times_mass(out.q, x_, w_);
  out.fast_energy += 0.5 * x_.dot(w_);
  form_.times_mass(out.q, out.v, w_);
  const double kinetic = 0.5 * out.v.dot(w_);
  form_.times_mass(out.q, out.a, w_);
  const double slow = std::max(kinetic, max_abs(out.q) * max_abs(w_));  // at rest: work of the forces over this length
  out.share = out.fast_energy > 0 ? out.fast_energy / (out.fast_energy + slow) : 0;
}

std::optional<SlowStart> take_slow_start(const MechanicalProblem& problem, bool moves, State& s) {
  try {
    SlowManifoldStart manifold(problem);
    if (!manifold.applies())
      throw UsageError("start=slow needs stiff gaps; '" + problem.name() +
                       "' has none whose forces are in a group of their own");
    const SlowStart found = manifold.find(s.t, s.q(), s.v());
    if (moves) {
      s.q() = found.q;
      s.v() = found.v;
    }
    return found;
  } catch (const UsageError&) {
    if (moves) throw;
  }
  return std::nullopt;
}

void warn_off_manifold(const SlowStart& start, double t, Notes& notes) {
  constexpr double most_share = 1e-3;
  if (start.share <= most_share) return;
  notes.raise(
      t, "off_slow_manifold",
      "The start is not on the slow manifold: this share of the energy oscillates at the frequencies of the stiff "
      "gaps. Steps longer than the oscillation damp it or carry it along. Use --set start=slow to start without it.",
      Severity::warning, start.share, most_share);
}
}  // namespace trill
