// SPDX-License-Identifier: BSD-3-Clause
#include "method/implicit_rk.hpp"

#include "trill/linalg/kernels.hpp"

#include <cmath>

#include <fmt/format.h>

namespace trill {
namespace {
constexpr double controlled_tolerance = 0.01;  // of Newton's iteration, in errors allowed in a step
constexpr double fixed_tolerance = 1e-5;       // of 1e-10: fixed steps are solved to rounding
constexpr double rounding = 30 * std::numeric_limits<double>::epsilon();
constexpr int controlled_iterations = 10, fixed_iterations = 50, many_iterations = 7;
constexpr double reused_rate = 0.05;    // a matrix is kept for the next step while it contracts that well
constexpr double manifold_share = 0.1;  // of the error allowed in a step

// sum_i e_i c_i^(k-1) = -gamma for k = 1 and 0 for k = 2..s. With gamma times the slope at the start it is the
// difference to a quadrature of order s.
Vec embedded_weights(const Vec& c, double gamma) {
  using Real = long double;
  const Index s = c.size();
  Eigen::Matrix<Real, Eigen::Dynamic, Eigen::Dynamic> powers(s, s);
  for (Index i = 0; i < s; ++i) {
    powers(0, i) = 1;
    for (Index k = 1; k < s; ++k) powers(k, i) = powers(k - 1, i) * c[i];
  }
  Eigen::Matrix<Real, Eigen::Dynamic, 1> right = Eigen::Matrix<Real, Eigen::Dynamic, 1>::Zero(s);
  right[0] = -static_cast<Real>(gamma);
  return powers.fullPivLu().solve(right).cast<double>();
}

// Weights of the values at c in the slope at 1 of the polynomial through them.
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

void count(Counters& work, Groups groups, int evaluations) {
  for (int i = 0; i < evaluations; ++i) work.count_forces(groups);
}

// Places inside a step where collocation polynomials are known: its ends and the stages between.
Vec dense_nodes(const StageBlock& block) {
  std::vector<double> nodes{0};
  for (Index i = 0; i < block.stages; ++i)
    if (block.position.c[i] > 0 && block.position.c[i] < 1) nodes.push_back(block.position.c[i]);
  nodes.push_back(1);
  return Eigen::Map<const Vec>(nodes.data(), static_cast<Index>(nodes.size()));
}
}  // namespace

ImplicitRk::ImplicitRk(const Problem& problem, MethodInfo info)
    : info_(std::move(info)), problem_(problem), first_order_(dynamic_cast<const FirstOrderProblem*>(&problem)) {
  if (first_order_ && info_.accepts.first_order) {
    n_ = problem.layout().size();
    return;
  }
  first_order_ = nullptr;
  if (info_.accepts.first_order && !dynamic_cast<const MechanicalProblem*>(&problem))
    throw UsageError(
        fmt::format("{} needs a first-order or a mechanical system; '{}' is neither", info_.name, problem.name()));
  mechanical_ = &problem.as<MechanicalProblem>(info_.name);
  form_.emplace(*mechanical_, true);
  n_ = form_->unknowns();
  hard_ = form_->rows() - form_->gaps();
  if (hard_ > 0 && !info_.accepts.constrained) refuse("cannot keep constraints; use radau, gauss or rattle");
}

ImplicitRk::~ImplicitRk() = default;

void ImplicitRk::refuse(const std::string& why) const {
  throw UsageError(fmt::format("{} {} ('{}')", info_.name, why, problem_.name()));
}

void ImplicitRk::start(State& s, const ErrorScale& scale) {
  plan_ = plan(scale);
  const StageBlock& block = plan_.block;
  const SlowPoint::Status status = mechanical_ ? make_form(s) : SlowPoint::Status::ok;
  if (status == SlowPoint::Status::singular) {
    Acceleration(*mechanical_).start(s.q());  // tells where it is the mass that is singular
    refuse("cannot start: constraints depend on each other there, or the gradient of one vanishes");
  }
  if (status == SlowPoint::Status::not_reached)
    refuse("cannot start: no state with closed gaps was found near the given one");
  if (status == SlowPoint::Status::non_finite) refuse("cannot start: forces or gaps are not finite there");
  if (first_order_)
    stages_ = std::make_unique<FirstOrderStages>(block, *first_order_);
  else
    stages_ = std::make_unique<MechanicalStages>(block, *form_);
  newton_options_ = {.tolerance = scale.controlled ? controlled_tolerance : fixed_tolerance,
                     .max_iterations = scale.controlled ? controlled_iterations : fixed_iterations,
                     .jacobian_every = 0,
                     .predict = false};
  newton_.emplace(stages_->size(), newton_options_);
  const Index m = stages_->multipliers();
  x_ = x_weights_ = Vec::Zero(stages_->size());
  y0_ = y1_ = error_ = s.y;
  k1_ = across_ = Vec::Zero(n_);
  filtered_ = Vec::Zero(n_ + m);
  l1_ = lambda_rate_ = Vec::Zero(m);
  guess_k_ = last_k_ = Mat::Zero(n_, block.stages);
  guess_l_ = last_l_ = Mat::Zero(m, block.stages);
  nodes_ = dense_nodes(block);
  node_weights_ = Vec::Zero(nodes_.size());
  dense_q_ = dense_v_ = Mat::Zero(n_, nodes_.size());
  dense_l_ = Mat::Zero(hard_, nodes_.size());
  end_slopes_ = end_slopes(block.position.c);
  if (plan_.estimates) {
    error_start_ = 1 / block.reals.front().inverse_gamma;
    error_weights_ = embedded_weights(block.position.c, error_start_);
  }
  if (mechanical_) {
    mass_.emplace(*mechanical_, form_->soft_groups());
    mass_->start(s.q());
  }
  remembers_ = slow_known_ = smooth_ = false;
  manifold_fits_ = true;
  damped_energy_ = most_fast_energy_ = most_kinetic_ = most_turning_ = 0;
  rate_ = 1;
  factor_h_ = 0;
  solvable_ = HUGE_VAL;
  moving_ = lifted() && !has_gaps() && form_->map()->moving();
  slow_rate_ = slow_change_ = 0;
  take_multipliers(s);
}

// Of hard constraints, at a state that no step has led to.
void ImplicitRk::take_multipliers(State& s) {
  if (hard_point_ && hard_point_->find(s.t, s.q(), s.v()) == SlowPoint::Status::ok)
    s.lambda() = hard_point_->lambda;
  else if (hard_ > 0)
    s.lambda() = slow_->lambda.tail(hard_);
}

// Gaps that depend on each other or on the constraints have no multipliers of their own: they stay among the forces.
SlowPoint::Status ImplicitRk::make_form(const State& s) {
  hard_point_.reset();
  SlowPoint::Status status = SlowPoint::Status::ok;
  for (const bool with_gaps : {true, false}) {
    form_.emplace(*mechanical_, with_gaps);
    hard_ = form_->rows() - form_->gaps();
    if (!lifted()) return SlowPoint::Status::ok;
    slow_ = std::make_unique<SlowPoint>(*form_);
    slow_end_ = std::make_unique<SlowPoint>(*form_);
    first_point_ = std::make_unique<SlowPoint>(*form_);
    status = slow_->find(s.t, s.q(), s.v());
    if (status != SlowPoint::Status::singular) break;
  }
  if (hard_ > 0 && has_gaps()) {
    hard_form_.emplace(*mechanical_, false);
    hard_point_ = std::make_unique<SlowPoint>(*hard_form_);
  }
  return status;
}

StepStatus ImplicitRk::find_slow_start(const State& s, const StepRequest& request) {
  if (!lifted() || slow_known_) return StepStatus::ok;
  lambda_rate_.setZero();
  const SlowPoint::Status status = slow_->find(s.t, s.q(), s.v());
  request.work.count_forces(counted_groups());
  if (status != SlowPoint::Status::ok) return report_slow_point(status, s.t, request.notes);
  measure_oscillation(*slow_, s.v(), request.weights);
  most_fast_energy_ = std::max(most_fast_energy_, slow_->fast_energy());
  probe_frequencies(s);
  find_smooth_start(s, request);
  slow_known_ = true;
  return StepStatus::ok;
}

void ImplicitRk::find_smooth_start(const State& s, const StepRequest& request) {
  if (!has_gaps() || !request.scale.controlled || plan_.fast == FastMotion::resolve) return;
  if (slow_end_->find(s.t, s.q(), s.v()) != SlowPoint::Status::ok) return;
  manifold_fits_ = settle(s.t, request, *slow_end_, y1_.head(n_), y1_.segment(n_, n_));
  if (manifold_fits_ && smooth_) slow_->move_to(s.t, s.q(), s.v());
}

// In tolerances: how far the state lies off the smooth motion.
void ImplicitRk::measure_oscillation(SlowPoint& point, In v0, In weights) {
  point.smooth_rate(lambda_rate_, across_);
  across_ = v0 - point.v - across_;
  speed_across_ = max_abs(across_);
  oscillation_q_ = weighted_rms(point.open, weights.head(n_));
  oscillation_v_ = weighted_rms(across_, weights.segment(n_, n_));
  // At a turning point it has no speed of its own; of the gap only what rounding does not explain counts.
  const double gap = max_abs(point.open) - rounding * max_abs(point.q);
  if (has_gaps() && gap > 0) {
    const double amplitude = gap * point.fastest_frequency();
    speed_across_ = std::max(speed_across_, amplitude);
    oscillation_v_ = std::max(oscillation_v_, amplitude * weights.segment(n_, n_).minCoeff());
  }
  smooth_ = oscillation_q_ <= 1 && oscillation_v_ <= 1;
}

// Derivative and multipliers of the state itself, not of the slow motion beside it.
bool ImplicitRk::find_first_stage(const State& s, Counters& work) {
  const Index last = plan_.block.stages - 1;
  if (remembers_ && (plan_.block.stiffly_accurate || plan_.block.partitioned)) {
    k1_ = last_k_.col(last);
    l1_ = last_l_.col(last);
    return true;
  }
  work.count_forces(counted_groups());
  if (first_order_) {
    first_order_->rhs(s.t, s.y, k1_);
    return all_finite(k1_);
  }
  if (lifted()) {
    form_->map()->value(s.t, s.q(), l1_);
    for (Index i = 0; i < form_->gaps(); ++i) l1_[i] /= form_->compliance()[i];
    l1_.tail(hard_) = slow_->lambda.tail(hard_);
  }
  form_->pull(s.t, s.q(), s.v(), l1_, k1_);
  return mass_->divide_by_mass(s.q(), k1_) && all_finite(k1_);
}

StepResult ImplicitRk::step(State& s, const StepRequest& request) {
  const double h = request.h;
  StepResult result{.h_taken = h};
  if (request.jumped || request.restart) {
    remembers_ = slow_known_ = false;
    factor_h_ = 0;
    rate_ = 1;
    if (stages_->has_sparse_factors()) stages_->forget();
  }
  result.status = find_slow_start(s, request);
  if (request.jumped && result.status == StepStatus::ok) take_multipliers(s);
  // Whether gaps are stiff enough for the tolerance is asked anew: weights change with the state.
  if (result.status == StepStatus::ok && lifted() && !manifold_fits_) find_smooth_start(s, request);
  if (result.status == StepStatus::ok) result.status = solve_stages(s, request, result.newton);
  if (result.status == StepStatus::ok) result.status = finish(s, request);
  if (result.status != StepStatus::ok) {
    solvable_ = 0.5 * std::abs(h);
    report_failure(s, request, result.status);
    return result;
  }
  solvable_ *= 1.1;
  if (plan_.estimates && std::isfinite(request.most_error)) {
    result.error = estimate(s, request);
    result.accept_anyway = std::abs(h) <= 1.001 * floor_;
    result.h_retry_min = floor_;
    if (!(result.error <= request.most_error) && !result.accept_anyway) return result;
    if (result.error > 1)
      request.notes.raise(s.t, "accepted_at_floor",
                          "While the state oscillates, steps at their floor are taken whatever the estimated error, in "
                          "which the oscillation shows.",
                          Severity::info, result.error, 1);
  }
  accept(s, request);
  if (result.newton.iterations > many_iterations && request.scale.controlled) result.h_next_max = std::abs(h);
  result.h_next_max = std::min(result.h_next_max, longest_step());
  return result;
}

// Forces come from differences of positions: every one of them feels the rounding of the largest.
double ImplicitRk::size_in_tolerances(In y, In weights) const {
  if (first_order_) return weighted_rms(y, weights);
  return max_abs(y.head(n_)) * std::sqrt(weights.head(n_).squaredNorm() / static_cast<double>(n_));
}

StepStatus ImplicitRk::solve_stages(const State& s, const StepRequest& request, NewtonStats& newton) {
  const double h = request.h;
  // A step that is to damp an oscillation is stiff even where it has to begin small.
  floor_ = request.scale.controlled ? step_floor() : 0;
  const double longest = plan_.fast == FastMotion::damp ? std::max(std::abs(h), floor_) : std::abs(h);
  stiff_step_ = lifted() && (!has_gaps() || longest * slow_->slowest_frequency() > 1);
  guess_ = choose_guess(h);
  const bool raw_error = plan_.estimates && !measures_slow_error();
  const bool needs_first = plan_.block.explicit_first || guess_ == StageGuess::start || raw_error;
  if (needs_first && !find_first_stage(s, request.work)) return StepStatus::non_finite;
  stages_->begin(s.t, h, s.y, k1_);
  if (stages_->size() == 0) return StepStatus::ok;
  guess_stages(s, h);
  const bool reuse = factor_h_ == h && rate_ <= reused_rate;
  if (!reuse) choose_point(s.t, h);
  stages_->newton_weights(request.weights, x_weights_);
  const int evaluations = stages_->evaluations, preparations = stages_->preparations;
  factor_h_ = 0;
  newton_options_.rounding = rounding * plan_.block.amplification * size_in_tolerances(s.y, request.weights);
  newton_->set_options(newton_options_);
  newton = newton_->solve(*stages_, x_, x_weights_, reuse);
  count(request.work, counted_groups(), stages_->evaluations - evaluations);
  request.work.jacobians += stages_->preparations - preparations;
  if (!newton.converged) return status_of(newton);
  factor_h_ = h;
  if (newton.iterations > 1) rate_ = newton.rate;
  stages_->unpack(x_);
  return StepStatus::ok;
}

StepStatus ImplicitRk::finish(const State& s, const StepRequest& request) {
  const double h = request.h;
  if (plan_.block.explicit_first) {
    if (mechanical_) {
      stages_->Q.col(0) = s.q();
      stages_->V.col(0) = s.v();
    } else {
      stages_->V.col(0) = s.y;
    }
    stages_->K.col(0) = k1_;
    stages_->L.col(0) = l1_;
  }
  if (plan_.block.explicit_last && !finish_last_stage(s, h, request.work)) return StepStatus::non_finite;
  find_end(s, h);
  if (!all_finite(y1_)) return StepStatus::non_finite;
  if (!lifted()) return StepStatus::ok;
  const SlowPoint::Status kept = keep_constraints(s.t + h, request, y1_.head(n_), y1_.segment(n_, n_));
  if (kept != SlowPoint::Status::ok) return report_slow_point(kept, s.t + h, request.notes);
  const SlowPoint::Status status = slow_end_->find(s.t + h, y1_.head(n_), y1_.segment(n_, n_));
  request.work.count_forces(counted_groups());
  if (status != SlowPoint::Status::ok) return report_slow_point(status, s.t + h, request.notes);
  return StepStatus::ok;
}

// With hard constraints alone the slow point of the end does it.
SlowPoint::Status ImplicitRk::keep_constraints(double t, const StepRequest& request, Out q, Out v) {
  if (!hard_point_) return SlowPoint::Status::ok;
  const SlowPoint::Status status = hard_point_->find(t, q, v);
  request.work.count_forces(counted_groups());
  q = hard_point_->q;
  v = hard_point_->v;
  return status;
}

// Moves onto the smooth motion. false: the gaps are not stiff enough for the tolerance, and it is not known that well.
bool ImplicitRk::settle(double t, const StepRequest& request, SlowPoint& point, Out q, Out v) {
  point.settle(lambda_rate_, q, v);
  request.work.count_forces(counted_groups());
  // Open gaps lead off hard constraints by what is quadratic in them.
  if (keep_constraints(t, request, q, v) != SlowPoint::Status::ok) return false;
  return point.move_to(t, q, v) &&
         (!has_gaps() || weighted_rms(point.open, request.weights.head(n_)) <= manifold_share);
}

// The last stage of methods in which no other depends on it: its position follows from the accelerations before it.
bool ImplicitRk::finish_last_stage(const State& s, double h, Counters& work) {
  const StageBlock& block = plan_.block;
  const Index last = block.stages - 1;
  const Mat &A = block.position.A, &B = block.velocity.A;
  Mat &Q = stages_->Q, &V = stages_->V, &K = stages_->K, &L = stages_->L;
  K.col(last).setZero();
  for (Index i = 0; i <= last; ++i) {
    V.col(i) = s.v();
    for (Index j = 0; j < last; ++j) add_scaled(V.col(i).data(), h * B(i, j), K.col(j).data(), n_);
  }
  Q.col(last) = s.q();
  for (Index j = 0; j <= last; ++j) add_scaled(Q.col(last).data(), h * A(last, j), V.col(j).data(), n_);
  const double t = s.t + block.position.c[last] * h;
  if (lifted()) {
    form_->map()->value(t, Q.col(last), l1_);
    L.col(last) = l1_.cwiseQuotient(form_->compliance());
  }
  form_->pull(t, Q.col(last), V.col(last), L.col(last), K.col(last));
  work.count_forces(counted_groups());
  return mass_->divide_by_mass(Q.col(last), K.col(last));
}

void ImplicitRk::find_end(const State& s, double h) {
  const StageBlock& block = plan_.block;
  const Index last = block.stages - 1, v_at = mechanical_ ? n_ : 0;
  double* v1 = y1_.data() + v_at;
  double* q1 = y1_.data();
  if (block.stiffly_accurate) {
    y1_.segment(v_at, n_) = stages_->V.col(last);
    if (mechanical_) y1_.head(n_) = stages_->Q.col(last);
    return;
  }
  y1_ = s.y;
  if (block.explicit_last) {
    for (Index i = 0; i <= last; ++i) {
      add_scaled(q1, h * block.position.b[i], stages_->V.col(i).data(), n_);
      add_scaled(v1, h * block.velocity.b[i], stages_->K.col(i).data(), n_);
    }
    return;
  }
  const double* v0 = s.y.data() + v_at;
  if (mechanical_) add_scaled(q1, h, v0, n_);
  for (Index i = 0; i <= last; ++i) {
    const double w = block.end[i];
    const double* v = stages_->V.col(i).data();
    for (Index c = 0; c < n_; ++c) v1[c] += w * (v[c] - v0[c]);
    if (mechanical_) add_scaled(q1, w, x_.data() + i * (n_ + stages_->multipliers()), n_);
  }
}

// Across the manifold the end of a step carries an error of lower order, O(h^s) in v, which the next steps would take
// for an oscillation. Steps that damp end on the smooth motion; so do those with hard constraints alone.
bool ImplicitRk::ends_on_manifold(const StepRequest& request) const {
  return !has_gaps() || (request.scale.controlled && plan_.fast == FastMotion::damp && measures_slow_error());
}

bool ImplicitRk::settle_end(double t, const StepRequest& request) {
  error_ = y1_;
  if (settle(t, request, *slow_end_, y1_.head(n_), y1_.segment(n_, n_))) return true;
  manifold_fits_ = false;
  y1_ = error_;
  slow_end_->find(t, y1_.head(n_), y1_.segment(n_, n_));
  return false;
}

void ImplicitRk::accept(State& s, const StepRequest& request) {
  h_ = request.h;
  bool settled = false;
  if (lifted()) {
    // Stages behind an oscillation hold its force, not the smooth one.
    if (smooth_)
      lambda_rate_.noalias() = (1 / h_) * (stages_->L * end_slopes_);
    else
      lambda_rate_.setZero();
    across_ = slow_end_->a - slow_->a;
    slow_change_ = max_abs(across_);
    slow_rate_ = slow_change_ / (std::abs(h_) * std::max(max_abs(slow_->a), 1e-300));
    const double energy = slow_->fast_energy();
    settled = ends_on_manifold(request) && settle_end(s.t + h_, request);
    if (plan_.damps && stiff_step_) damped_energy_ += energy - slow_end_->fast_energy();
    if (hard_ > 0)
      y1_.segment(2 * n_, hard_) = hard_point_ && !settled ? hard_point_->lambda : slow_end_->lambda.tail(hard_);
  }
  keep_for_output(s);
  last_k_ = stages_->K;
  last_l_ = stages_->L;
  remembers_ = !settled || smooth_ || !has_gaps();  // stages behind an oscillation hold its force
  if (lifted()) {
    std::swap(slow_, slow_end_);
    slow_known_ = true;
    if (settled) {
      oscillation_q_ = oscillation_v_ = speed_across_ = 0;
      smooth_ = true;
    } else {
      measure_oscillation(*slow_, y1_.segment(n_, n_), request.weights);
    }
  }
  s.y = y1_;
  s.t += h_;
  if (mechanical_ && mechanical_->strong_potential()) watch(s.t, request);
}
}  // namespace trill
