// SPDX-License-Identifier: BSD-3-Clause
#include "method/slow_tracker.hpp"

#include "method/oscillation_watch.hpp"
#include "method/stage_polynomial.hpp"
#include "trill/linalg/kernels.hpp"

#include <cmath>
#include <limits>

namespace trill {
namespace {
constexpr double position_rounding = 30 * std::numeric_limits<double>::epsilon();
constexpr double manifold_share = 0.1;  // share of the error allowed in a step
constexpr double floor_in_epsilon = 100, floor_of_turn = 0.1;
constexpr double preserved_share = 0.8;  // share of the bound, which becomes smaller when the motion turns faster
// The largest trace of an oscillation in the stages, relative to the change of the slow acceleration over a step.
constexpr double quiet_share = 0.01;
// The rounding in the velocities of a step, in tolerances, from which on its error is found without it.
constexpr double shown_rounding = 0.01;
constexpr double most_turned = 1e-3;  // share of the speed: the trust statement is green up to this

// Weights of the values at the nodes c in the derivative at 1 of the polynomial through them.
Vec end_slopes(const Vec& c) { return lagrange_slopes(c, 1); }

// The same for the second derivative at 1.
Vec end_curves(const Vec& c) {
  const Vec slopes = end_slopes(c);
  Vec curves = Vec::Zero(c.size());
  for (Index i = 0; i < c.size(); ++i) curves += slopes[i] * lagrange_slopes(c, c[i]);
  return curves;
}
}  // namespace

SlowTracker::SlowTracker(const LiftedForm& form, const ImplicitRkPlan& plan)
    : form_(form),
      plan_(plan),
      n_(form.unknowns()),
      hard_(form.rows() - form.gaps()),
      has_gaps_(form.gaps() > 0),
      only_fast_(has_gaps_ && form.rows() >= n_),
      moving_(!has_gaps_ && form.map()->moving()),
      here_(std::make_unique<SlowPoint>(form)),
      ahead_(std::make_unique<SlowPoint>(form)),
      end_slopes_(end_slopes(plan.block.position.c)),
      end_curves_(end_curves(plan.block.position.c)),
      lambda_rate_(Vec::Zero(form.rows())),
      lambda_curve_(lambda_rate_),
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

void SlowTracker::forget() {
  known_ = false;
  inside_.reset();
}

StepStatus SlowTracker::find_start(State& s, const StepRequest& request, OscillationWatch& watch) {
  count_inside(request.work);
  if (!known_) {
    const StepStatus status = find_point(s, request, watch);
    if (status != StepStatus::ok) return status;
  }
  if (request.jumped) take_multipliers(s);
  // Check again whether gaps are stiff enough for the tolerance: weights change with the state.
  if (follows_ && smooth_) find_smooth_start(s, request);
  return StepStatus::ok;
}

// Steps are chosen by how far the state is from the smooth motion.
bool SlowTracker::judges_oscillation(const StepRequest& request) const {
  return has_gaps_ && !only_fast_ && request.scale.controlled && plan_.fast != FastMotion::resolve;
}

// Steps that follow the oscillation need no slow point; where it is too large for one, they go on with the last.
bool SlowTracker::goes_without_point(SlowPoint::Status status) const {
  return status == SlowPoint::Status::not_reached && has_gaps_ && (plan_.fast == FastMotion::resolve || follows_);
}

StepStatus SlowTracker::find_point(const State& s, const StepRequest& request, OscillationWatch& watch) {
  lambda_rate_.setZero();
  lambda_curve_.setZero();
  const SlowPoint::Status status = here_->find(s.t, s.q(), s.v());
  request.work.count_forces(form_.counted_groups());
  if (goes_without_point(status)) return StepStatus::ok;
  if (status != SlowPoint::Status::ok) return report(status, s.t, request.notes);
  if (judges_oscillation(request)) find_rates(request.h, *here_, *ahead_, request.work);
  measure_oscillation(s.v(), request.weights, judges_oscillation(request));
  if (judges_oscillation(request)) find_turned_speed(s.v());
  watch.probe(s, *here_, *ahead_);
  find_smooth_start(s, request);
  known_ = true;
  return StepStatus::ok;
}

void SlowTracker::find_rates(double direction, SlowPoint& at, SlowPoint& beside, Counters& work) {
  work.count_forces(form_.counted_groups());
  work.count_forces(form_.counted_groups());
  if (at.multiplier_rates(direction, beside, lambda_rate_, lambda_curve_)) return;
  lambda_rate_.setZero();
  lambda_curve_.setZero();
}

// Steps close an open gap along its direction and keep the velocity. The slow motion goes on with another one, because
// the direction turns with the motion: on a pendulum r v is conserved, and not v.
void SlowTracker::find_turned_speed(In v0) {
  const double speed = here_->pace() * max_abs(here_->q);
  turned_speed_ = smooth_ || speed == 0 ? 0 : here_->turned_speed(v0) / speed;
}

void SlowTracker::find_smooth_start(const State& s, const StepRequest& request) {
  if (!judges_oscillation(request)) {
    follows_ = only_fast_ && request.scale.controlled;
    return;
  }
  if (ahead_->find(s.t, s.q(), s.v()) != SlowPoint::Status::ok) return;
  const bool known = settle(s.t, request, q_, v_);
  follows_ = !known || (follows_ && !smooth_);
  if (!follows_ && smooth_) here_->move_to(s.t, s.q(), s.v());
}

// settles: measured from the smooth motion itself; otherwise at closed gaps, which takes less.
void SlowTracker::measure_oscillation(In v0, In weights, bool settles) {
  SlowPoint& point = *here_;
  if (settles) {
    point.settle(lambda_rate_, q_, v_);
    across_ = v0 - v_;
  } else {
    point.closed_rate(lambda_rate_, across_);
    across_ = v0 - point.v - across_;
  }
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
  smooth_ = oscillation_.q <= plan_.known_to && oscillation_.v <= plan_.known_to;
}

void SlowTracker::judge_step(double h, bool controlled) {
  // A step that is meant to damp an oscillation counts as stiff even if it has to begin small.
  step_.floor = controlled ? step_floor() : 0;
  const double longest = plan_.fast == FastMotion::damp ? std::max(std::abs(h), step_.floor) : std::abs(h);
  step_.stiff = !has_gaps_ || (!follows_ && longest * here_->slowest_frequency() > 1);
  step_.measures_slow = step_.stiff && plan_.fast != FastMotion::resolve;
}

double SlowTracker::step_bound() {
  memory_.most_turning = std::max(memory_.most_turning, here_->turning_rate());
  return std::sqrt(plan_.alias / (here_->fastest_frequency() * memory_.most_turning));
}

// The oscillation shows up in the error estimate: with steps below this size the controller would go down to the time
// scale of the oscillation and resolve it forever.
double SlowTracker::step_floor() {
  if (!has_gaps_ || plan_.fast == FastMotion::resolve || follows_ || smooth_) return 0;
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
  follows_ = only_fast_;
  if (follows_) return 0;
  Vec weights = s.y;
  scale.weights(s.y, weights);
  Counters unseen;  // the first step does this again
  find_rates(1, *here_, *ahead_, unseen);
  measure_oscillation(s.v(), weights, true);
  follows_ = !is_known(*here_, weights);
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
  reached_ = !goes_without_point(status);
  return reached_ ? report(status, t, request.notes) : StepStatus::ok;
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
  if (!ahead_->move_to(t, q, v)) return false;
  if (!has_gaps_) return true;
  const double most = plan_.known_to * manifold_share;
  return weighted_rms(ahead_->open, request.weights.head(n_)) <= most && is_known(*ahead_, request.weights);
}

// The terms that settle() leaves out show whether the smooth motion is known to the tolerance.
bool SlowTracker::is_known(SlowPoint& smooth, In weights) {
  smooth.beyond_first_order(lambda_curve_, across_);
  const double most = plan_.known_to * manifold_share;
  return weighted_rms(across_, weights.head(n_)) <= most &&
         smooth.pace() * weighted_rms(across_, weights.segment(n_, n_)) <= most;
}

// Perpendicular to the manifold the end of a step has an error of lower order, O(h^s) in v, which the next steps would
// mistake for an oscillation. Steps that damp end on the smooth motion; so do those with hard constraints alone.
bool SlowTracker::ends_on_manifold(const StepRequest& request) const {
  return !has_gaps_ || (request.scale.controlled && plan_.fast == FastMotion::damp && step_.measures_slow);
}

bool SlowTracker::settle_end(double t, const StepRequest& request, Vec& y1) {
  unsettled_ = y1;
  if (settle(t, request, y1.head(n_), y1.segment(n_, n_))) return true;
  follows_ = true;
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

// A tangential error keeps as much of the rounding along the normals of the constraints as these turn in the step, so
// it does not fall with h.
bool SlowTracker::rounding_shows(double h, In weights) const {
  if (hard_ == 0 || (has_gaps_ && step_.measures_slow)) return false;
  const double rounding = std::numeric_limits<double>::epsilon() * max_abs(here_->q);
  const double along = plan_.block.amplification * plan_.block.amplification * rounding;
  const double velocity = along * std::min(1 / std::abs(h), here_->pace());
  return velocity * std::sqrt(weights.segment(n_, n_).squaredNorm() / static_cast<double>(n_)) > shown_rounding;
}

const SlowPoint* SlowTracker::without_rounding(double t, In q, In v, Counters& work) {
  if (!stage_point_) stage_point_ = std::make_unique<SlowPoint>(hard_form_ ? *hard_form_ : form_);
  work.count_forces(form_.counted_groups());
  return stage_point_->accelerate_at(t, q, v) ? stage_point_.get() : nullptr;
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

// The derivatives of the stages' multipliers are two orders less accurate than the end of the step, and after an
// oscillation the stages contain its force. So where they decide how the step ends, differences on its side are taken.
void SlowTracker::find_end_rates(double h, const Mat& L, const StepRequest& request) {
  lambda_rate_.setZero();
  lambda_curve_.setZero();
  if (has_gaps_ && ends_on_manifold(request)) {
    find_rates(-h, *ahead_, *here_, request.work);
  } else if (smooth_) {
    lambda_rate_.noalias() = (1 / h) * (L * end_slopes_);
    if (judges_oscillation(request)) lambda_curve_.noalias() = (1 / (h * h)) * (L * end_curves_);
  }
}

// A smooth motion that is not known to the tolerance where the oscillation would be removed is no reason to remove it.
SlowMotion::StepEnd SlowTracker::follow_instead() {
  known_ = false;  // the point of the start was used for differences
  return StepEnd::not_taken;
}

SlowMotion::StepEnd SlowTracker::accept(double t, double h, const Mat& L, const StepRequest& request, Vec& y1) {
  lost_energy_ = 0;
  end_ = {};
  if (!reached_) {
    if (hard_ > 0) y1.segment(2 * n_, hard_) = hard_point_->lambda;
    return StepEnd::stages_go_on;
  }
  across_ = ahead_->a - here_->a;
  slow_change_ = max_abs(across_);
  memory_.slow_rate = slow_change_ / (std::abs(h) * std::max(max_abs(here_->a), 1e-300));
  const double energy = here_->fast_energy();
  find_end_rates(h, L, request);
  const bool damped = has_gaps_ && !smooth_ && ends_on_manifold(request);
  const bool settled = ends_on_manifold(request) && settle_end(t, request, y1);
  if (damped && !settled && !leaves_out()) return follow_instead();
  if (damped) report_removal(t, request.notes);
  end_ = {settled, damped};
  lost_energy_ = energy - ahead_->fast_energy();
  if (hard_ > 0) y1.segment(2 * n_, hard_) = hard_point_ && !settled ? hard_point_->lambda : ahead_->lambda.tail(hard_);
  const bool stages_go_on = !settled || smooth_ || !has_gaps_;
  std::swap(here_, ahead_);
  known_ = true;
  if (settled) {
    oscillation_ = {};
    smooth_ = true;
  } else {
    measure_oscillation(y1.segment(n_, n_), request.weights, judges_oscillation(request));
  }
  return stages_go_on ? StepEnd::stages_go_on : StepEnd::stages_differ;
}

void SlowTracker::smooth_inside(double t, double h, In nodes, Mat& values) {
  if (!end_.settled) return;
  if (!inside_) inside_ = std::make_unique<SmoothInside>(form_, hard_form_ ? &*hard_form_ : nullptr);
  inside_->move(t, h, nodes, end_.removed_oscillation ? 0 : 1, values);
}

void SlowTracker::count_inside(Counters& work) {
  if (!inside_) return;
  for (int k = inside_->take_evaluations(); k > 0; --k) work.count_forces(form_.counted_groups());
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
                      "The Newton iteration fails, because the state oscillates about the slow motion too fast. The "
                      "value is the speed. The iteration converges as long as h times this speed is below a few "
                      "lengths. Try a smaller h, or radau with fast=damp.",
                      Severity::warning, oscillation_.speed, limit);
}

void SlowTracker::report_removal(double t, Notes& notes) {
  const double removed = std::max(oscillation_.q, oscillation_.v);
  memory_.left_out = std::max(memory_.left_out, removed);
  notes.raise(t, "slow_motion_only",
              "The state oscillated about the slow motion by this many tolerances. The oscillation is damped, and the "
              "result is the slow motion only; radau with fast=resolve follows both.",
              Severity::info, removed, 1);
  if (turned_speed_ > most_turned)
    notes.raise(
        t, "open_gaps_at_start",
        "The gaps are open at the start, and their directions turn with the motion: the slow motion starts with "
        "velocities that are off by about this share. Use method slow, or radau with fast=resolve.",
        Severity::doubt, turned_speed_, most_turned);
  turned_speed_ = 0;
}

StepStatus SlowTracker::report(SlowPoint::Status status, double t, Notes& notes) const {
  switch (status) {
    case SlowPoint::Status::ok:
      return StepStatus::ok;
    case SlowPoint::Status::singular:
      notes.raise(t, "dependent_gaps",
                  "Gaps or constraints depend on each other here, or one of them has the gradient zero, so that their "
                  "forces are not determined.",
                  Severity::error, 0, 0);
      return StepStatus::singular_matrix;
    case SlowPoint::Status::not_reached:
      notes.raise(t, "no_slow_point",
                  "No state with closed gaps was found near this one, because the oscillation is too large. Try a "
                  "smaller h, or radau with fast=resolve.",
                  Severity::error, oscillation_.q, 1);
      return StepStatus::newton_diverged;
    case SlowPoint::Status::non_finite:
      break;
  }
  return StepStatus::non_finite;
}
}  // namespace trill
