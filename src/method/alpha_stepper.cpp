// SPDX-License-Identifier: BSD-3-Clause
#include "method/alpha_stepper.hpp"

#include "formulation/reaction_form.hpp"
#include "method/initial_step.hpp"
#include "method/motion_output.hpp"
#include "trill/linalg/kernels.hpp"

#include <algorithm>
#include <cmath>

namespace trill {
namespace {
// Tolerances of Newton's iteration, as multiples of the run's tolerance. With fixed steps that is 1e-10, and v has the
// errors of q divided by h. Stiff forces that are not lifted gaps turn the remaining error of q into forces.
constexpr double lifted_alpha_tolerance = 0.02, controlled_alpha_tolerance = 1e-3, fixed_alpha_tolerance = 1e-4;
constexpr double max_alpha_growth = 2;     // a step may be at most this many times as long as the one before
constexpr double velocity_constant = 1.1;  // error of v relative to that of q, measured for rho = 0, 0.5, 0.9

}  // namespace

void AlphaOptions::fields(OptionVisitor& v) {
  v.choice("formulation", formulation, constraint_form_choices(),
           "how constraints are solved together with a step; 'trill list formulations' explains the names");
  v.choice("split", split_by_qr, {{"lu", false}, {"qr", true}},
           "decomposition by which formulation=cs and cm choose their independent coordinates");
  v.choice("lambda", multipliers_of_stage, {{"acceleration", false}, {"stage", true}},
           "where multipliers and accelerations come from: the constraints on accelerations, or the step itself");
  v.choice("gaps", lift_gaps, {{"lifted", true}, {"forces", false}},
           "how stiff gaps enter the Newton iteration: with multipliers (lifted), or as ordinary forces");
  v.choice("start", starts_slow, {{"given", false}, {"slow", true}},
           "start as the model gives it, or moved onto the slow manifold, where stiff gaps do not oscillate");
  v.integer("iterations", iterations, Range::between(2, 100), "max number of Newton iterations in a step");
}

StageOptions AlphaOptions::stage() const {
  return {.form = formulation, .split_by_qr = split_by_qr, .lift_gaps = lift_gaps, .max_iterations = iterations};
}

void set_alpha_equation(const AlphaCoefficients& c, const State& s, double h, In phi, In a, StageEquation& e) {
  const double ratio = c.beta / c.gamma, share = c.gamma / (1 - c.alpha_m);
  e.t = s.t + h;
  e.kinematic = ratio * h;
  e.dynamic = share * (1 - c.alpha_f) * h;
  e.q_base = s.q() + h * (1 - ratio) * s.v() + h * h * (0.5 - ratio) * a;
  e.v_base = s.v() + h * ((1 - share) * a + share * c.alpha_f * phi);
}

void average_acceleration(const AlphaCoefficients& c, In phi0, In phi1, In a0, Out a1) {
  a1 = ((1 - c.alpha_f) * phi1 + c.alpha_f * phi0 - c.alpha_m * a0) / (1 - c.alpha_m);
}

AlphaStepper::AlphaStepper(const Problem& problem, const MethodInfo& info, const AlphaCoefficients& coefficients,
                           const AlphaOptions& options)
    : p_(mechanics_with_reactions(problem, info.name)),
      info_(info),
      c_(coefficients),
      options_(options),
      closes_acceleration_(!options.multipliers_of_stage && options.formulation != ConstraintForm::index3),
      stage_(p_, keeping_reactions(options.stage(), p_, info.name)),
      balance_(p_),
      oscillation_(p_, options.starts_slow) {
  if (p_.constraints() && options.formulation == ConstraintForm::index3 && c_.is_trapezoidal())
    throw UsageError(
        info_.name +
        " with formulation=index3 needs damping, because otherwise its multipliers grow; use formulation=index2");
  // A sparse factorisation depends on earlier matrices and is not saved: it starts anew at every checkpoint.
  info_.saves_memory = !stage_.has_sparse_factors();
}

void AlphaStepper::start(State& s, const ErrorScale& scale) {
  stage_.set_tolerance(!scale.controlled   ? fixed_alpha_tolerance
                       : stage_.gaps() > 0 ? lifted_alpha_tolerance
                                           : controlled_alpha_tolerance);
  const Index n = s.layout.nq;
  oscillation_.start(s);
  phi_ = a_ = phi1_ = a1_ = a0_ = change_ = last_change_ = filtered_ = Vec::Zero(n);
  trial_ = y0_ = y1_ = s.y;
  error_ = Vec::Zero(s.y.size());
  stage_.start(s.t, s.q());
  Counters uncounted;
  find_acceleration(s, uncounted);
  balance_.start(s);
}

// a is the true acceleration here: without an earlier step no other value is known. YPR98 sec. 3.
void AlphaStepper::find_acceleration(State& s, Counters& work) {
  stage_.stand_at(s.t, s.q());
  stage_.accelerate(s.q(), s.v(), phi_, s.lambda(), work);
  a_ = phi_;
  last_change_.setZero();
  h_ = 0;
}

// A step in which h^2 a (or h v, if there is no acceleration) moves q by a small part of its tolerance, now and with
// the forces of a little later; the first steps can grow from there.
double AlphaStepper::initial_step(const State& s, const ErrorScale& scale, double h_max, Counters& work) {
  constexpr double small = 0.1;
  const Index n = phi_.size();
  const auto size_of = [&](In x) {
    error_.setZero();
    error_.head(n) = x;
    return scale.norm(error_, s.y, s.y);
  };
  const double constant = std::abs(c_.error_constant()), limit = std::abs(h_max);
  const double acceleration = constant * size_of(phi_), velocity = size_of(s.v());
  const double h = acceleration > 0 ? small / std::sqrt(acceleration) : velocity > 0 ? small / velocity : limit;
  const auto change_to = [&](double t) {
    stage_.stand_at(t, s.q());
    stage_.accelerate(s.q(), s.v(), phi1_, trial_.tail(stage_.constraints()), work);
    return constant * (t - s.t) * (t - s.t) * size_of(phi1_ - phi_);
  };
  const double bounded = shortened_by_later_forces(change_to, s.t, std::min(h, limit), 3, h_max < 0 ? -1 : 1);
  stage_.stand_at(s.t, s.q());
  return bounded;
}

// Newton starts from a Taylor series and, if that fails, from the last positions: in stiff motions a may mislead.
NewtonStats AlphaStepper::solve(const State& s, const StepRequest& request) {
  const double h = request.h;
  trial_ = s.y;
  filtered_ = s.q() + h * s.v() + 0.5 * h * h * a0_;
  return stage_.solve_from(filtered_, trial_, request.weights, !request.jumped && !request.restart, request.work);
}

bool AlphaStepper::finish_acceleration() {
  const Index n = phi_.size(), m = stage_.constraints();
  const StageEquation& e = stage_.equation;
  const auto v = trial_.segment(n, n);
  phi1_ = (v - e.v_base) / e.dynamic;
  if (m > 0 && closes_acceleration_) stage_.close_acceleration(v, phi1_, trial_.segment(2 * n, m));
  average_acceleration(c_, phi_, phi1_, a0_, a1_);
  return all_finite(trial_) && all_finite(a1_);
}

StepResult AlphaStepper::step(State& s, const StepRequest& request) {
  const double h = request.h;
  if ((request.jumped || request.restart) && stage_.has_sparse_factors()) stage_.forget();
  oscillation_.warn(s.t, request.notes);
  if (request.jumped) {
    if (!stage_.project(s.t, s.q(), s.v())) return {.status = StepStatus::singular_matrix};
    find_acceleration(s, request.work);
    balance_.restart(s);
  }
  // a belongs to t + (alpha_m - alpha_f) h, so it has to be rescaled when h changes: Arnold and Bruels 2007.
  a0_ = phi_;
  if (h_ != 0) a0_ += (h / h_) * (a_ - phi_);
  set_alpha_equation(c_, s, h, phi_, a0_, stage_.equation);
  StepResult result{.h_taken = h};
  result.newton = solve(s, request);
  result.status = status_of(result.newton);
  if (result.status != StepStatus::ok) return result;
  if (!finish_acceleration()) return {.status = StepStatus::non_finite};
  result.error = estimate(s, h, request);
  result.h_next_max = max_alpha_growth * std::abs(h);
  if (!(result.error <= request.most_error)) return result;

  y0_ = s.y;
  s.y = y1_ = trial_;
  s.t += h;
  t1_ = s.t;
  phi_ = phi1_;
  a_ = a1_;
  last_change_ = change_;
  h_ = h;
  balance_.advance(s, h);
  stage_.watch_dependence(s.t, request.notes);
  request.work.count_forces(oscillation_.look(s, h, request.scale.controlled ? request.scale.rtol : 0, request.notes));
  return result;
}

// c h^3 q''' from the change of a. In stiff modes that change says nothing about the error, so the filter removes it.
double AlphaStepper::estimate(const State& s, double h, const StepRequest& request) {
  const Index n = phi_.size();
  const double c = std::abs(c_.error_constant());
  change_ = a1_ - a0_;
  stage_.filter(change_, filtered_, request.work);
  stage_.add_prescribed(change_, filtered_);
  stage_.add_moving_gaps(s.t, s.q(), s.t + h, trial_.head(n), filtered_);
  error_.head(n) = c * h * h * filtered_;
  error_.segment(n, n).setZero();
  if (h_ != 0) {
    filtered_ = change_ - (h / h_) * last_change_;
    stage_.filter(filtered_, filtered_, request.work);
    error_.segment(n, n) = velocity_constant * c * h * h * filtered_;
  }
  return request.scale.norm(error_, s.y, trial_);
}

void AlphaStepper::interpolate(double theta, Out y) { interpolate_motion(stage_, {t1_, h_, y0_, y1_}, theta, y); }

void AlphaStepper::memory(Archive& archive) { archive(phi_, a_, last_change_, h_, balance_, stage_, oscillation_); }
}  // namespace trill
