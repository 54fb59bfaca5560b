// SPDX-License-Identifier: BSD-3-Clause
#include "method/implicit_rk.hpp"

#include "method/charge_stages.hpp"
#include "method/initial_step.hpp"
#include "method/slow_tracker.hpp"
#include "trill/linalg/kernels.hpp"

#include <cmath>
#include <limits>

#include <fmt/format.h>

namespace trill {
namespace {
constexpr double controlled_stage_tolerance = 0.01;  // tolerance of Newton, relative to the error allowed in a step
// The current of a junction grows e-fold in 26 mV, whatever share of a voltage rtol allows: stages of circuits are
// solved as for this rtol at least.
constexpr double loosest_circuit = 1e-3;
// Velocities are tested less strictly than positions: the error left behind is far below the last correction.
constexpr double velocity_share = 0.1;
constexpr double fixed_stage_tolerance = 1e-5;  // relative to 1e-10: fixed steps are solved to rounding
constexpr double residual_rounding = 30 * std::numeric_limits<double>::epsilon();
constexpr int controlled_stage_iterations = 10, fixed_stage_iterations = 50, many_iterations = 7;
// A matrix is kept for the next step while Newton converges at least at this rate.
constexpr double reused_rate = 0.05;
// Stands for the error, in tolerances, of a step that was to damp an oscillation which has to be followed.
constexpr double too_long_to_follow = 1e3;
// How far ahead the first slope looks for what changes with time, as a share of the longest step.
constexpr double first_look = 1e-6;

void count_evaluations(Counters& work, Groups groups, int evaluations) {
  for (std::size_t i = 0; groups != 0; ++i, groups >>= 1)
    if (groups & 1u) work.forces[i] += evaluations;
}

const FirstOrderProblem* first_order_system(const Problem& problem, const MethodInfo& info) {
  return info.accepts.first_order ? dynamic_cast<const FirstOrderProblem*>(&problem) : nullptr;
}

const CircuitProblem* circuit_system(const Problem& problem, const MethodInfo& info) {
  return info.accepts.circuit ? dynamic_cast<const CircuitProblem*>(&problem) : nullptr;
}

const MechanicalProblem& mechanical_system(const Problem& problem, const MethodInfo& info) {
  if (const auto* reactive = dynamic_cast<const ReactiveProblem*>(&problem); reactive && info.accepts.constrained)
    return reactive->mechanics();
  if (info.accepts.first_order && !dynamic_cast<const MechanicalProblem*>(&problem))
    throw UsageError(fmt::format("{} needs a first-order or a mechanical system{}; '{}' is neither", info.name,
                                 info.accepts.circuit ? " or a circuit" : "", problem.name()));
  return problem.as<MechanicalProblem>(info.name);
}
}  // namespace

ImplicitRk::ImplicitRk(const Problem& problem, MethodInfo info)
    : info_(std::move(info)),
      problem_(problem),
      first_order_(first_order_system(problem, info_)),
      circuit_(circuit_system(problem, info_)),
      mechanical_(first_order_ || circuit_ ? nullptr : &mechanical_system(problem, info_)),
      slow_(std::make_unique<SlowMotion>()),
      watch_(mechanical_) {
  const ConstraintMap* hard = mechanical_ ? mechanical_->constraints() : nullptr;
  if (hard && hard->count() > 0 && !info_.accepts.constrained)
    refuse("cannot satisfy constraints; use radau, gauss or rattle");
}

ImplicitRk::~ImplicitRk() = default;

void ImplicitRk::refuse(const std::string& why) const {
  throw UsageError(fmt::format("{} {} (model '{}')", info_.name, why, problem_.name()));
}

void ImplicitRk::start(State& s, const ErrorScale& scale) {
  plan_ = plan(scale);
  if (first_order_)
    stages_ = std::make_unique<FirstOrderStages>(plan_.block, *first_order_);
  else if (circuit_)
    stages_ = std::make_unique<ChargeStages>(plan_.block, *circuit_);
  else
    start_mechanics(s);
  stages_->start(s);
  const double tightened = circuit_ ? std::min(1.0, loosest_circuit / scale.rtol) : 1;
  newton_options_ = {.tolerance = scale.controlled ? tightened * controlled_stage_tolerance : fixed_stage_tolerance,
                     .max_iterations = scale.controlled ? controlled_stage_iterations : fixed_stage_iterations,
                     .jacobian_every = 0,
                     .predict = false};
  newton_.emplace(stages_->size(), newton_options_);
  guess_.start(*stages_);
  interior_.start(*stages_, s);
  if (plan_.estimates) embedded_ = embedded_formula(plan_.block);
  x_ = x_weights_ = Vec::Zero(stages_->size());
  y1_ = error_ = s.y;
  k1_ = Vec::Zero(stages_->unknowns());
  l1_ = Vec::Zero(stages_->multipliers());
  factor_h_ = 0;
  rate_ = 1;
  slow_->take_multipliers(s);
}

void ImplicitRk::start_mechanics(const State& s) {
  switch (find_slow_motion(s)) {
    case SlowPoint::Status::singular:
      Acceleration(*mechanical_).start(s.q());  // throws a clear error if it is the mass that is singular
      refuse(
          "cannot start, because constraints depend on each other at the start or one of them has the gradient zero "
          "there");
    case SlowPoint::Status::not_reached:
      refuse("cannot start, because no state with closed gaps was found near the start");
    case SlowPoint::Status::non_finite:
      refuse("cannot start, because forces or gaps are not finite at the start");
    case SlowPoint::Status::ok:
      break;
  }
  stages_ = std::make_unique<MechanicalStages>(plan_.block, *form_);
  watch_.start(*form_, plan_);
}

// Gaps that depend on each other or on the constraints have no multipliers of their own, so they are treated as forces.
SlowPoint::Status ImplicitRk::find_slow_motion(const State& s) {
  SlowPoint::Status status = SlowPoint::Status::ok;
  for (const bool with_gaps : {true, false}) {
    slow_ = std::make_unique<SlowMotion>();
    form_ = std::make_unique<LiftedForm>(*mechanical_, with_gaps);
    if (form_->rows() == 0) return SlowPoint::Status::ok;
    // More rows than coordinates always depend on each other, even if rounding hides it at the start.
    if (with_gaps && form_->rows() > form_->unknowns()) continue;
    auto tracker = std::make_unique<SlowTracker>(*form_, plan_);
    status = tracker->start(s);
    slow_ = std::move(tracker);
    if (status != SlowPoint::Status::singular) break;
  }
  return status;
}

bool ImplicitRk::find_first_stage(const State& s, Counters& work) {
  if (guess_.recall_state(k1_, l1_)) return true;
  work.count_forces(stages_->counted_groups());
  slow_->hard_multipliers(l1_);
  return stages_->derivative(s, k1_, l1_);
}

double ImplicitRk::initial_step(const State& s, const ErrorScale& scale, double h_max, Counters& work) {
  const double floor = slow_->first_floor(s, scale);  // decides whether the oscillation is followed
  Vec slope = Vec::Zero(s.y.size());
  if (slow_->gives_first_slope()) {
    stages_->add_slope(1, slow_->point()->v, slow_->point()->a, slope);
  } else {
    if (!find_first_stage(s, work) || !stages_->slope(s, k1_, first_look * h_max, slope)) return 0;
  }
  const double size = scale.norm(s.y, s.y, s.y), rate = scale.norm(slope, s.y, s.y);
  double h = 0.01 * std::abs(h_max);
  if (rate > 0) h = std::pow(0.01 / rate, 1.0 / (info_.error_order + 1));
  if (rate > 0 && size > 1) h = std::min(h, size / rate);  // smaller states have no size to compare with
  h = std::min({h, std::abs(h_max), slow_->longest_step(), stages_->longest_step()});
  h = shorten_by_later_forces(s, scale, h, h_max < 0 ? -1 : 1, work);
  h = std::max(h, floor);
  return std::min(h, std::abs(h_max));
}

double ImplicitRk::shorten_by_later_forces(const State& s, const ErrorScale& scale, double h, double direction,
                                           Counters& work) {
  State later = s;
  Vec now = k1_, then = k1_, change = Vec::Zero(s.y.size());
  slow_->hard_multipliers(l1_);
  if (!stages_->derivative(s, now, l1_)) return h;
  const auto change_to = [&](double t) {
    later.t = t;
    work.count_forces(stages_->counted_groups());
    slow_->hard_multipliers(l1_);
    if (!stages_->derivative(later, then, l1_)) return 0.0;
    change.setZero();
    stages_->add_slope(t - s.t, Vec::Zero(now.size()), then - now, change);
    return scale.norm(change, s.y, s.y);
  };
  return shortened_by_later_forces(change_to, s.t, h, info_.error_order + 1, direction);
}

StepResult ImplicitRk::step(State& s, const StepRequest& request) {
  StepResult result{.h_taken = request.h};
  if (request.jumped || request.restart) {
    guess_.forget();
    interior_.forget();
    stages_->forget_steps();
    slow_->forget();
    factor_h_ = 0;
    rate_ = 1;
    if (stages_->has_sparse_factors()) stages_->forget();
  }
  result.status = slow_->find_start(s, request, watch_);
  if (result.status == StepStatus::ok) result.status = solve_stages(s, request, result.newton);
  if (result.status == StepStatus::ok) result.status = finish(s, request);
  slow_->take_outcome(s, request, result.status);
  if (result.status != StepStatus::ok || !passes_error_test(s, request, result)) return result;
  if (!accept(s, request, result)) return result;
  if (result.newton.iterations > many_iterations && request.scale.controlled) result.h_next_max = std::abs(request.h);
  result.h_next_max = std::min({result.h_next_max, slow_->longest_step(), stages_->longest_step()});
  return result;
}

// The error of a step contains what Newton's iteration leaves in velocities. If it is found without that, the iteration
// tests velocities itself; its unknowns are positions.
const Vec& ImplicitRk::weights_of_newton(const StepRequest& request) {
  const bool tests_error = plan_.estimates && request.scale.controlled;
  if (!tests_error || !slow_->rounding_shows(request.h, request.weights)) return request.weights;
  const Index n = stages_->positions();
  tight_weights_ = request.weights;
  for (Index i = 0; i < n; ++i)
    tight_weights_[i] = std::max(tight_weights_[i], velocity_share * tight_weights_[n + i] / std::abs(request.h));
  return tight_weights_;
}

StepStatus ImplicitRk::solve_stages(const State& s, const StepRequest& request, NewtonStats& newton) {
  const double h = request.h;
  slow_->judge_step(h, request.scale.controlled);
  guess_.choose(h, *slow_);
  const bool raw_error = plan_.estimates && !slow_->step().measures_slow;
  const bool needs_first = plan_.block.explicit_first || guess_.needs_start() || raw_error;
  if (needs_first && !find_first_stage(s, request.work)) return StepStatus::non_finite;
  stages_->begin(s.t, h, s.y, k1_);
  if (stages_->size() == 0) return StepStatus::ok;
  guess_.guess(h, s.y, k1_, l1_, *slow_, *stages_, x_);
  const bool reuse = factor_h_ == h && rate_ <= reused_rate;
  if (!reuse) guess_.place_matrix(s.t, h, *slow_, *stages_);
  const Vec& weights = weights_of_newton(request);
  stages_->newton_weights(weights, x_weights_);
  const int evaluations = stages_->evaluations, preparations = stages_->preparations;
  factor_h_ = 0;
  newton_options_.rounding = residual_rounding * plan_.block.amplification * stages_->size_in_tolerances(weights);
  newton_->set_options(newton_options_);
  newton = newton_->solve(*stages_, x_, x_weights_, reuse);
  count_evaluations(request.work, stages_->counted_groups(), stages_->evaluations - evaluations);
  request.work.jacobians += stages_->preparations - preparations;
  if (!newton.converged) {
    stages_->guess_otherwise();
    return status_of(newton);
  }
  factor_h_ = h;
  if (newton.iterations > 1) rate_ = newton.rate;
  stages_->unpack(x_);
  return StepStatus::ok;
}

StepStatus ImplicitRk::finish(const State& s, const StepRequest& request) {
  if (plan_.block.explicit_first) stages_->fill_first(l1_);
  if (plan_.block.explicit_last) {
    request.work.count_forces(stages_->counted_groups());
    if (!stages_->fill_last()) return StepStatus::non_finite;
  }
  stages_->find_end(x_, y1_);
  if (!all_finite(y1_)) return StepStatus::non_finite;
  return slow_->find_end(s.t + request.h, request, y1_);
}

// h (gamma_0 y'(start) + sum e_i Y'_i). It is measured along the slow manifold from the projected start, or else
// filtered by the Newton matrix of the real eigenvalue so that stiff components do not count.
double ImplicitRk::estimate(const State& s, const StepRequest& request) {
  const double h = request.h, at_start = h * embedded_.start;
  const bool slow = slow_->step().measures_slow;
  if (slow_->rounding_shows(h, request.weights)) remove_rounding(s, request);
  error_.setZero();
  if (slow)
    stages_->add_slope(at_start, slow_->point()->v, slow_->point()->a, error_);
  else
    stages_->add_slope(at_start, s.y.segment(stages_->positions(), k1_.size()), k1_, error_);
  for (Index i = 0; i < plan_.block.stages; ++i)
    stages_->add_slope(h * embedded_.stages[i], stages_->V.col(i), stages_->K.col(i), error_);
  if (slow)
    slow_->make_tangential(error_);
  else
    stages_->filter(error_);
  slow_->add_prescribed(s.t, h, embedded_.start, embedded_.stages, stages_->Q, error_);
  return request.scale.norm(error_, s.y, y1_);
}

// Stiff components follow the motion so closely that the estimate allows steps too long for a polynomial. Beside gaps
// and constraints the ends of steps are moved to the smooth motion, and no polynomial goes through them.
double ImplicitRk::error_inside(const State& s, const StepRequest& request) {
  const bool is_plain = first_order_ || (form_ && form_->rows() == 0);
  if (!used_inside_ || !is_plain) return 0;
  if (!interior_.estimate(request.h, s.y, y1_, *stages_, error_)) return 0;
  return request.scale.norm(error_, s.y, y1_);
}

void ImplicitRk::remove_rounding(const State& s, const StepRequest& request) {
  const SlowPoint* start =
      slow_->step().measures_slow ? nullptr : slow_->without_rounding(s.t, s.q(), s.v(), request.work);
  if (start) k1_ = start->a;
  for (Index i = 0; i < plan_.block.stages; ++i) {
    const double t = s.t + plan_.block.position.c[i] * request.h;
    const SlowPoint* stage = slow_->without_rounding(t, stages_->Q.col(i), stages_->V.col(i), request.work);
    if (!stage) continue;
    stages_->K.col(i) = stage->a;
    stages_->L.col(i).tail(stage->lambda.size()) = stage->lambda;
  }
}

bool ImplicitRk::passes_error_test(const State& s, const StepRequest& request, StepResult& result) {
  if (!plan_.estimates || !std::isfinite(request.most_error)) return true;
  const double floor = slow_->step().floor;
  result.error = std::max(estimate(s, request), error_inside(s, request));
  result.accept_anyway = std::abs(request.h) <= 1.001 * floor;
  result.h_retry_min = floor;
  return result.error <= request.most_error || result.accept_anyway;
}

bool ImplicitRk::accept(State& s, const StepRequest& request, StepResult& result) {
  const double h = request.h;
  const SlowMotion::StepEnd end = slow_->accept(s.t + h, h, stages_->L, request, y1_);
  if (end == SlowMotion::StepEnd::not_taken) {
    result.error = too_long_to_follow;
    result.accept_anyway = false;
    result.h_retry_min = 0;
    return false;
  }
  if (result.error > 1)
    request.notes.raise(s.t, "accepted_at_floor",
                        "The state oscillates, and the oscillation shows in the estimated error. Steps that have "
                        "reached the smallest size are therefore accepted whatever their estimated error.",
                        Severity::info, result.error, 1);
  interior_.keep(h, s.y, y1_, *stages_);
  guess_.keep(h, *stages_, end == SlowMotion::StepEnd::stages_go_on);
  s.y = y1_;
  s.t += h;
  t1_ = s.t;
  h1_ = h;
  watch_.advance(s.t, request, *slow_);
  return true;
}

void ImplicitRk::interpolate(double theta, Out y) {
  const bool inside = theta > 0 && theta < 1;
  if (inside) interior_.smooth(t1_ - h1_, *slow_);
  interior_.interpolate(theta, y);
  if (inside) stages_->settle(t1_ - (1 - theta) * h1_, y);
}

void ImplicitRk::memory(Archive& archive) { archive(watch_, *slow_); }
}  // namespace trill
