// SPDX-License-Identifier: BSD-3-Clause
#include "method/slow_tracker.hpp"

#include "method/oscillation_watch.hpp"
#include "trill/linalg/kernels.hpp"

#include <cmath>
#include <limits>

namespace trill {
namespace {
constexpr double position_rounding = 30 * std::numeric_limits<double>::epsilon();
constexpr double manifold_share = 0.1;  // share of the error allowed in a step
constexpr double floor_in_epsilon = 100, floor_of_turn = 0.1;
constexpr double preserved_share = 0.8;  // share of the bound, which becomes smaller when the motion turns faster
constexpr double resolved_phase = 0.5;   // h omega of steps that follow the oscillation
// The largest trace of an oscillation in the stages, relative to the change of the slow acceleration over a step.
constexpr double quiet_share = 0.01;

// Weights of the values at the nodes c in the derivative at 1 of the polynomial through them.
Vec end_slopes(const Vec& c) {
  Vec slopes = Vec::Zero(c.size());
  for (Index j = 0; j < c.size(); ++j)
    for (Index left_out = 0; left_out < c.size(); ++left_out) {
      if (left_out == j) continue;
      double product = 1 / (c[j] - c[left_out]);
      for (Index k = 0; k < c.size(); ++k)
        if (k != j && k != left_out) product *= (1 - c[k]) / (c[j] - c[k]);
      slopes[j] += product;
    }
  return slopes;
}
}  // namespace

SlowTracker::SlowTracker(const LiftedForm& form, const ImplicitRkPlan& plan)
    : form_(form),
      plan_(plan),
      n_(form.unknowns()),
      hard_(form.rows() - form.gaps()),
      has_gaps_(form.gaps() > 0),
      moving_(!has_gaps_ && form.map()->moving()),
      here_(std::make_unique<SlowPoint>(form)),
      ahead_(std::make_unique<SlowPoint>(form)),
      end_slopes_(end_slopes(plan.block.position.c)),
      lambda_rate_(Vec::Zero(form.rows())),
      across_(Vec::Zero(n_)),
      q_(Vec::Zero(n_)),
      v_(Vec::Zero(n_)),
      own_rate_(Vec::Zero(form.rows())),
      own_error_(own_rate_) {
  if (hard_ == 0 || !has_gaps_) return;
  hard_form_.emplace(form.problem(), false);
  hard_point_ = std::make_unique<SlowPoint>(*hard_form_);
}

SlowPoint::Status SlowTracker::start(const State& s) {
  unsettled_ = s.y;
  return here_->find(s.t, s.q(), s.v());
}

void SlowTracker::take_multipliers(State& s) {
  if (hard_point_ && hard_point_->find(s.t, s.q(), s.v()) == SlowPoint::Status::ok)
    s.lambda() = hard_point_->lambda;
  else if (hard_ > 0)
    s.lambda() = here_->lambda.tail(hard_);
}

StepStatus SlowTracker::find_start(State& s, const StepRequest& request, OscillationWatch& watch) {
  if (!known_) {
    const StepStatus status = find_point(s, request, watch);
    if (status != StepStatus::ok) return status;
  }
  if (request.jumped) take_multipliers(s);
  // Check again whether gaps are stiff enough for the tolerance: weights change with the state.
  if (!fits_) find_smooth_start(s, request);
  return StepStatus::ok;
}

StepStatus SlowTracker::find_point(const State& s, const StepRequest& request, OscillationWatch& watch) {
  lambda_rate_.setZero();
  const SlowPoint::Status status = here_->find(s.t, s.q(), s.v());
  request.work.count_forces(form_.counted_groups());
  if (status != SlowPoint::Status::ok) return report(status, s.t, request.notes);
  measure_oscillation(s.v(), request.weights);
  watch.probe(s, *here_, *ahead_);
  find_smooth_start(s, request);
  known_ = true;
  return StepStatus::ok;
}

void SlowTracker::find_smooth_start(const State& s, const StepRequest& request) {
  if (!has_gaps_ || !request.scale.controlled || plan_.fast == FastMotion::resolve) return;
  if (ahead_->find(s.t, s.q(), s.v()) != SlowPoint::Status::ok) return;
  fits_ = settle(s.t, request, q_, v_);
  if (fits_ && smooth_) here_->move_to(s.t, s.q(), s.v());
}

void SlowTracker::measure_oscillation(In v0, In weights) {
  SlowPoint& point = *here_;
  point.smooth_rate(lambda_rate_, across_);
  across_ = v0 - point.v - across_;
  oscillation_.speed = max_abs(across_);
  oscillation_.q = weighted_rms(point.open, weights.head(n_));
  oscillation_.v = weighted_rms(across_, weights.segment(n_, n_));
  // At a turning point the oscillation has no speed, so the open gap counts too, minus what rounding explains.
  const double gap = max_abs(point.open) - position_rounding * max_abs(point.q);
  if (has_gaps_ && gap > 0) {
    const double amplitude = gap * point.fastest_frequency();
    oscillation_.speed = std::max(oscillation_.speed, amplitude);
    oscillation_.v = std::max(oscillation_.v, amplitude * weights.segment(n_, n_).minCoeff());
  }
  smooth_ = oscillation_.q <= 1 && oscillation_.v <= 1;
}

void SlowTracker::judge_step(double h, bool controlled) {
  // A step that is meant to damp an oscillation counts as stiff even if it has to begin small.
  step_.floor = controlled ? step_floor() : 0;
  const double longest = plan_.fast == FastMotion::damp ? std::max(std::abs(h), step_.floor) : std::abs(h);
  step_.stiff = !has_gaps_ || longest * here_->slowest_frequency() > 1;
  step_.measures_slow = step_.stiff && fits_ && plan_.fast != FastMotion::resolve;
}

double SlowTracker::step_bound() {
  memory_.most_turning = std::max(memory_.most_turning, here_->turning_rate());
  return std::sqrt(plan_.alias / (here_->fastest_frequency() * memory_.most_turning));
}

// The oscillation shows up in the error estimate: with steps below this size the controller would go down to the time
// scale of the oscillation and resolve it forever.
double SlowTracker::step_floor() {
  if (!has_gaps_ || plan_.fast == FastMotion::resolve || !fits_ || smooth_) return 0;
  const double turning = here_->turning_rate();
  if (turning == 0) return 0;  // the oscillation does not show along the manifold
  if (plan_.fast == FastMotion::preserve) return std::min(preserved_share * step_bound(), memory_.solvable);
  return std::min({floor_in_epsilon / here_->slowest_frequency(), floor_of_turn / std::max(turning, memory_.slow_rate),
                   memory_.solvable});
}

double SlowTracker::longest_step() {
  if (!has_gaps_ || plan_.fast == FastMotion::damp) return HUGE_VAL;
  if (plan_.fast == FastMotion::resolve) return resolved_phase / here_->fastest_frequency();
  return preserved_share * step_bound();
}

double SlowTracker::first_floor(const State& s, const ErrorScale& scale) {
  if (!has_gaps_ || plan_.fast != FastMotion::damp) return 0;
  Vec weights = s.y;
  scale.weights(s.y, weights);
  measure_oscillation(s.v(), weights);
  return step_floor();
}

bool SlowTracker::is_quiet(double h) const {
  if (smooth_) return true;
  const double across = std::max(oscillation_.speed, max_abs(here_->open) / std::abs(h));
  return across < quiet_share * std::abs(h) * slow_change_;
}

StepStatus SlowTracker::find_end(double t, const StepRequest& request, Vec& y1) {
  const SlowPoint::Status kept = keep_constraints(t, request, y1.head(n_), y1.segment(n_, n_));
  if (kept != SlowPoint::Status::ok) return report(kept, t, request.notes);
  const SlowPoint::Status status = ahead_->find(t, y1.head(n_), y1.segment(n_, n_));
  request.work.count_forces(form_.counted_groups());
  return report(status, t, request.notes);
}

// With hard constraints alone there is nothing to do here: the slow point of the end takes care of them.
SlowPoint::Status SlowTracker::keep_constraints(double t, const StepRequest& request, Out q, Out v) {
  if (!hard_point_) return SlowPoint::Status::ok;
  const SlowPoint::Status status = hard_point_->find(t, q, v);
  request.work.count_forces(form_.counted_groups());
  q = hard_point_->q;
  v = hard_point_->v;
  return status;
}

// Moves q and v onto the smooth motion. false: the gaps are not stiff enough to know it to the tolerance.
bool SlowTracker::settle(double t, const StepRequest& request, Out q, Out v) {
  ahead_->settle(lambda_rate_, q, v);
  request.work.count_forces(form_.counted_groups());
  // Open gaps lead off the hard constraints by terms that are quadratic in them.
  if (keep_constraints(t, request, q, v) != SlowPoint::Status::ok) return false;
  return ahead_->move_to(t, q, v) &&
         (!has_gaps_ || weighted_rms(ahead_->open, request.weights.head(n_)) <= manifold_share);
}

// Perpendicular to the manifold the end of a step has an error of lower order, O(h^s) in v, which the next steps would
// mistake for an oscillation. Steps that damp end on the smooth motion; so do those with hard constraints alone.
bool SlowTracker::ends_on_manifold(const StepRequest& request) const {
  return !has_gaps_ || (request.scale.controlled && plan_.fast == FastMotion::damp && step_.measures_slow);
}

bool SlowTracker::settle_end(double t, const StepRequest& request, Vec& y1) {
  unsettled_ = y1;
  if (settle(t, request, y1.head(n_), y1.segment(n_, n_))) return true;
  fits_ = false;
  y1 = unsettled_;
  ahead_->find(t, y1.head(n_), y1.segment(n_, n_));
  return false;
}

// With moving constraints only the whole error tells how far the inside of a step is off them. The error of velocities
// contains the remaining error of Newton's iteration divided by h.
void SlowTracker::make_tangential(Vec& error) {
  if (!moving_) ahead_->make_tangential(error.head(n_));
  ahead_->make_tangential(error.segment(n_, n_));
}

// The error across the manifold does not count as such, because an oscillation may be all there is in it. What the gaps
// prescribe, G v = -g_t, is known without it.
void SlowTracker::add_prescribed(double t, double h, double start, const Vec& stages, const Mat& Q, Vec& error) {
  if (!form_.gaps_move()) return;
  form_.map()->time_derivative(t, here_->q, own_rate_);
  own_error_ = h * start * own_rate_;
  for (Index i = 0; i < Q.cols(); ++i) {
    form_.map()->time_derivative(t + plan_.block.position.c[i] * h, Q.col(i), own_rate_);
    own_error_ += h * stages[i] * own_rate_;
  }
  ahead_->across(own_error_, across_);
  error.head(n_) -= across_;
}

bool SlowTracker::accept(double t, double h, const Mat& L, const StepRequest& request, Vec& y1) {
  // After an oscillation the stages contain its force instead of the smooth one.
  if (smooth_)
    lambda_rate_.noalias() = (1 / h) * (L * end_slopes_);
  else
    lambda_rate_.setZero();
  across_ = ahead_->a - here_->a;
  slow_change_ = max_abs(across_);
  memory_.slow_rate = slow_change_ / (std::abs(h) * std::max(max_abs(here_->a), 1e-300));
  const double energy = here_->fast_energy();
  const bool settled = ends_on_manifold(request) && settle_end(t, request, y1);
  lost_energy_ = energy - ahead_->fast_energy();
  if (hard_ > 0) y1.segment(2 * n_, hard_) = hard_point_ && !settled ? hard_point_->lambda : ahead_->lambda.tail(hard_);
  const bool stages_go_on = !settled || smooth_ || !has_gaps_;
  std::swap(here_, ahead_);
  known_ = true;
  if (settled) {
    oscillation_ = {};
    smooth_ = true;
  } else {
    measure_oscillation(y1.segment(n_, n_), request.weights);
  }
  return stages_go_on;
}

void SlowTracker::take_outcome(const State& s, const StepRequest& request, StepStatus status) {
  if (status == StepStatus::ok) {
    memory_.solvable *= 1.1;
    return;
  }
  memory_.solvable = 0.5 * std::abs(request.h);
  if (status == StepStatus::newton_diverged && has_gaps_ && known_) report_failure(s, request);
}

void SlowTracker::report_failure(const State& s, const StepRequest& request) const {
  const double limit = max_abs(here_->q) / std::abs(request.h);
  if (oscillation_.speed < limit) return;
  request.notes.raise(s.t, "oscillation_too_large",
                      "Newton's iteration fails while the state oscillates off the slow motion at this speed; it is "
                      "known to converge while h times it stays below a few lengths. Try a smaller h, or radau with "
                      "fast=damp.",
                      Severity::warning, oscillation_.speed, limit);
}

StepStatus SlowTracker::report(SlowPoint::Status status, double t, Notes& notes) const {
  switch (status) {
    case SlowPoint::Status::ok:
      return StepStatus::ok;
    case SlowPoint::Status::singular:
      notes.raise(t, "dependent_gaps",
                  "Gaps or constraints depend on each other here, or the gradient of one vanishes: their forces are "
                  "not determined.",
                  Severity::error, 0, 0);
      return StepStatus::singular_matrix;
    case SlowPoint::Status::not_reached:
      notes.raise(t, "no_slow_point",
                  "No state with closed gaps was found near this one: the oscillation is too large for a slow motion. "
                  "Try a smaller h, or radau with fast=resolve.",
                  Severity::error, oscillation_.q, 1);
      return StepStatus::newton_diverged;
    case SlowPoint::Status::non_finite:
      break;
  }
  return StepStatus::non_finite;
}
}  // namespace trill
