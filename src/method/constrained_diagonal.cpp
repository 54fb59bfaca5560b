// SPDX-License-Identifier: BSD-3-Clause
#include "method/constrained_diagonal.hpp"

#include "method/initial_step.hpp"
#include "method/motion_output.hpp"
#include "trill/linalg/kernels.hpp"
#include "trill/method/hermite.hpp"

#include <algorithm>
#include <cmath>

namespace trill {
namespace {
// Newton's tolerances, as multiples of the run's tolerance. Its remaining error in q is divided by the step in v.
constexpr double fixed_diagonal_tolerance = 1e-3, fixed_tolerance_of_order_3 = 1e-5,
                 controlled_diagonal_tolerance = 0.1, min_diagonal_tolerance = 1e-9, max_diagonal_tolerance = 0.02;
}  // namespace

ConstrainedDiagonal::ConstrainedDiagonal(const Problem& problem, const MethodInfo& info, const DiagonalTableau& tableau,
                                         ConstraintForm formulation)
    : p_(problem.as<MechanicalProblem>(info.name)),
      info_(info),
      tableau_(tableau),
      formulation_(formulation),
      stage_(p_, {.form = formulation, .lift_gaps = true}),
      n_(p_.layout().nq),
      m_(stage_.constraints()) {
  // A sparse factorisation depends on earlier matrices and is not saved: it starts anew at every checkpoint.
  info_.saves_memory = !stage_.has_sparse_factors();
}

void ConstrainedDiagonal::start(State& s, const ErrorScale&) {
  k_ = Mat::Zero(2 * n_, tableau_.c.size() + 1);
  slope_ = end_ = first_ = Vec::Zero(2 * n_);
  acceleration_ = part_ = Vec::Zero(n_);
  trial_ = y0_ = y1_ = s.y;
  error_ = Vec::Zero(s.y.size());
  stage_.set_tolerance(info_.order > 2 ? fixed_tolerance_of_order_3 : fixed_diagonal_tolerance);
  stage_.start(s.t, s.q());
  Counters uncounted;
  stage_.stand_at(s.t, s.q());
  stage_.accelerate(s.q(), s.v(), acceleration_, s.lambda(), uncounted);
  slope_ << s.v(), acceleration_;
}

// Errors are measured as if atol were equal to rtol: otherwise velocities that are zero at the start would ask for
// steps below rounding.
double ConstrainedDiagonal::initial_step(const State& s, const ErrorScale& scale, double h_max, Counters& work) {
  const double limit = std::abs(h_max), order = info_.error_order + 1;
  const auto speed_of = [&](In rates) {
    return (rates.array().abs() / (1 + s.y.head(2 * n_).array().abs())).maxCoeff();
  };
  first_ << s.v(), acceleration_;
  const double speed = speed_of(first_), h = std::pow(0.01 * scale.rtol, 1 / order) / speed;
  const auto change_to = [&](double t) {
    stage_.stand_at(t, s.q());
    stage_.accelerate(s.q(), s.v(), part_, trial_.tail(m_), work);
    first_ << Vec::Zero(n_), part_ - acceleration_;
    return std::abs(t - s.t) * speed_of(first_) / scale.rtol;
  };
  const double bounded = shortened_by_later_forces(change_to, s.t, speed > 0 ? std::min(h, limit) : limit,
                                                   info_.error_order + 1, h_max < 0 ? -1 : 1);
  stage_.stand_at(s.t, s.q());
  return bounded;
}

NewtonStats ConstrainedDiagonal::solve(Index i, const State& s, const StepRequest& request, bool reuse) {
  StageEquation& e = stage_.equation;
  const double h = request.h;
  first_ = s.y.head(2 * n_);
  if (tableau_.start.size() > 0) first_ += h * tableau_.start[i] * k_.col(0);
  for (Index j = 0; j < i; ++j) first_ += h * tableau_.a(i, j) * k_.col(j + 1);
  e.t = s.t + tableau_.c[i] * h;
  e.kinematic = e.dynamic = h * tableau_.a(i, i);
  e.q_base = first_.head(n_);
  e.v_base = first_.tail(n_);
  auto q = trial_.head(n_);
  q = s.q() + tableau_.c[i] * h * s.v();
  const NewtonStats stats =
      stage_.solve(q, trial_.segment(n_, n_), trial_.tail(m_), request.weights, reuse, request.work);
  if (!stats.converged) return stats;
  if (tableau_.ends_with_a_stage) stage_.refine_velocity(q, trial_.segment(n_, n_), request.weights, request.work);
  k_.col(i + 1) = (trial_.head(2 * n_) - first_) / e.dynamic;
  // The correction that keeps a stage on the constraints uses another metric than the projection at the step's end.
  if (!tableau_.ends_with_a_stage) k_.col(i + 1).head(n_) = trial_.segment(n_, n_);
  return stats;
}

bool ConstrainedDiagonal::finish(const State& s, double h, Counters& work) {
  auto q = trial_.head(n_), v = trial_.segment(n_, n_);
  if (!tableau_.ends_with_a_stage) {
    trial_.head(2 * n_) = s.y.head(2 * n_);
    for (Index j = 0; j < tableau_.b.size(); ++j) trial_.head(2 * n_) += h * tableau_.b[j] * k_.col(j + 1);
    if (!stage_.project(s.t + h, q, v)) return false;
  }
  find_acceleration(q, v, work);
  end_ << v, acceleration_;
  return true;
}

// Evaluating the forces of stiff gaps would turn the remaining error of Newton's iteration into accelerations.
void ConstrainedDiagonal::find_acceleration(In q, In v, Counters& work) {
  if (stage_.gaps() > 0 && tableau_.ends_with_a_stage) {
    acceleration_ = k_.col(tableau_.c.size()).tail(n_);
    stage_.close_acceleration(v, acceleration_, trial_.tail(m_));
  } else {
    stage_.accelerate(q, v, acceleration_, trial_.tail(m_), work);
  }
}

StepResult ConstrainedDiagonal::step(State& s, const StepRequest& request) {
  const double h = request.h;
  if ((request.jumped || request.restart) && stage_.has_sparse_factors()) stage_.forget();
  if (request.jumped) {
    if (!stage_.project(s.t, s.q(), s.v())) return {.status = StepStatus::singular_matrix};
    stage_.accelerate(s.q(), s.v(), acceleration_, s.lambda(), request.work);
    slope_ << s.v(), acceleration_;
  }
  if (request.scale.controlled)
    stage_.set_tolerance(std::clamp(controlled_diagonal_tolerance * std::abs(h * tableau_.a(0, 0)),
                                    min_diagonal_tolerance, max_diagonal_tolerance));
  k_.col(0) = slope_;
  trial_ = s.y;
  StepResult result{.h_taken = h};
  bool reuse = !request.jumped && !request.restart;
  for (Index i = 0; i < tableau_.c.size(); ++i) {
    NewtonStats stats = solve(i, s, request, reuse);
    stats.iterations += result.newton.iterations;
    stats.factorisations += result.newton.factorisations;
    result.newton = stats;
    result.status = status_of(stats);
    if (result.status != StepStatus::ok) return result;
    reuse = true;
  }
  if (!finish(s, h, request.work)) {
    result.status = StepStatus::newton_diverged;
    return result;
  }
  if (!all_finite(trial_) || !all_finite(end_)) return {.status = StepStatus::non_finite};
  if (tableau_.error.size() > 0) result.error = estimate(s, h, request);
  if (tableau_.error.size() > 0 && !(result.error <= request.most_error)) return result;
  y0_ = s.y;
  s.y = y1_ = trial_;
  s.t += h;
  stage_.watch_dependence(s.t, request.notes);
  t1_ = s.t;
  h_ = h;
  first_ = slope_;
  slope_ = end_;
  return result;
}

// Where constraints move by themselves the error of positions along them counts too. They keep the ends of a step
// right, however long it is, but not what lies between them, nor the position in which a mechanism closes again.
double ConstrainedDiagonal::estimate(const State& s, double h, const StepRequest& request) {
  first_.setZero();
  for (Index i = 0; i < k_.cols(); ++i) first_ += h * tableau_.error[i] * k_.col(i);
  part_ = first_.head(n_);
  stage_.filter(part_, error_.head(n_), request.work);
  if (p_.constraints()->moving()) stage_.add_prescribed(part_, error_.head(n_));
  part_ = first_.tail(n_);
  stage_.filter(part_, error_.segment(n_, n_), request.work);
  return request.scale.norm(error_, s.y, trial_);
}

// Cubic interpolation of positions and velocities, moved onto the constraints.
void ConstrainedDiagonal::interpolate(double theta, Out y) {
  hermite(theta, h_, y0_.head(2 * n_), first_, y1_.head(2 * n_), slope_, y.head(2 * n_));
  settle_inside(stage_, {t1_, h_, y0_, y1_}, theta, y);
}

void ConstrainedDiagonal::memory(Archive& archive) { archive(slope_, stage_); }

std::unique_ptr<Stepper> ConstrainedDiagonal::clone(const Problem& problem) const {
  return std::make_unique<ConstrainedDiagonal>(problem, info_, tableau_, formulation_);
}
}  // namespace trill
