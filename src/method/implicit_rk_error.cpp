// SPDX-License-Identifier: BSD-3-Clause
// Estimates of the error of a step, and the bounds on its size that errors do not know.
#include "method/implicit_rk.hpp"
#include "trill/linalg/kernels.hpp"

#include <cmath>

namespace trill {
namespace {
constexpr double floor_in_epsilon = 100, floor_of_turn = 0.1;
constexpr double preserved_share = 0.8;  // of the bound, which falls when the motion turns faster
constexpr double resolved_phase = 0.5;   // h omega of steps that follow the oscillation
}  // namespace

double ImplicitRk::slow_step_bound() {
  most_turning_ = std::max(most_turning_, slow_->turning_rate());
  return std::sqrt(plan_.alias / (slow_->fastest_frequency() * most_turning_));
}

// The oscillation shows in the error estimate: below this step the controller would fall into its scale and resolve it
// for ever.
double ImplicitRk::step_floor() {
  if (!has_gaps() || plan_.fast == FastMotion::resolve || !manifold_fits_ || smooth_) return 0;
  const double turning = slow_->turning_rate();
  if (turning == 0) return 0;  // nothing of the oscillation shows along the manifold
  if (plan_.fast == FastMotion::preserve) return std::min(preserved_share * slow_step_bound(), solvable_);
  return std::min(
      {floor_in_epsilon / slow_->slowest_frequency(), floor_of_turn / std::max(turning, slow_rate_), solvable_});
}

double ImplicitRk::longest_step() {
  if (!has_gaps() || plan_.fast == FastMotion::damp) return HUGE_VAL;
  if (plan_.fast == FastMotion::resolve) return resolved_phase / slow_->fastest_frequency();
  return preserved_share * slow_step_bound();
}

double ImplicitRk::initial_step(const State& s, const ErrorScale& scale, double h_max, Counters& work) {
  Vec slope = Vec::Zero(s.y.size());
  if (lifted() && plan_.fast != FastMotion::resolve) {
    slope.head(n_) = slow_->v;
    slope.segment(n_, n_) = slow_->a;
  } else {
    if (!find_first_stage(s, work)) return 0;
    if (mechanical_) slope.head(n_) = s.v();
    slope.segment(mechanical_ ? n_ : 0, n_) = k1_;
  }
  const double size = scale.norm(s.y, s.y, s.y), rate = scale.norm(slope, s.y, s.y);
  if (!(rate > 0)) return 0;
  double h = std::min(std::max(size, 1.0) / rate, std::pow(0.01 / rate, 1.0 / (info_.error_order + 1)));
  h = std::min(h, longest_step());
  if (has_gaps() && plan_.fast == FastMotion::damp) {
    scale.weights(s.y, error_);
    measure_oscillation(*slow_, s.v(), error_);
    h = std::max(h, step_floor());
  }
  return std::min(h, std::abs(h_max));
}

// h (gamma_0 y'(start) + sum e_i Y'_i): along the slow manifold from the projected start, otherwise filtered by the
// Newton matrix of the real eigenvalue, so that stiff components do not count.
double ImplicitRk::estimate(const State& s, const StepRequest& request) {
  const double h = request.h;
  const bool slow = measures_slow_error();
  error_.setZero();
  const Index v_at = mechanical_ ? n_ : 0;
  double* error_q = error_.data();
  double* error_v = error_.data() + v_at;
  add_scaled(error_v, h * error_start_, slow ? slow_->a.data() : k1_.data(), n_);
  if (mechanical_) add_scaled(error_q, h * error_start_, slow ? slow_->v.data() : s.y.data() + n_, n_);
  for (Index i = 0; i < plan_.block.stages; ++i) {
    add_scaled(error_v, h * error_weights_[i], stages_->K.col(i).data(), n_);
    if (mechanical_) add_scaled(error_q, h * error_weights_[i], stages_->V.col(i).data(), n_);
  }
  if (slow) {
    // Along constraints that move, nothing but the whole error tells how far the inside of a step is off them. That of
    // velocities has what Newton's iteration leaves open, divided by h.
    if (!moving_) slow_end_->make_tangential(error_.head(n_));
    slow_end_->make_tangential(error_.segment(n_, n_));
  } else {
    filter_error();
  }
  return request.scale.norm(error_, s.y, y1_);
}

// (M sigma^2 - f_v sigma - f_q) x + G^T l = M sigma^2 e, G x - C l = 0, or (sigma - J) x = sigma e.
void ImplicitRk::filter_error() {
  const double sigma = stages_->real_shift();
  if (first_order_) {
    filtered_ = sigma * error_;
    stages_->solve_real(filtered_);
    error_ = filtered_;
    return;
  }
  for (Index part = 0; part < 2; ++part) {
    filtered_.setZero();
    form_->mass().multiply(error_.segment(part * n_, n_), filtered_.head(n_));
    filtered_ *= sigma * sigma;
    stages_->solve_real(filtered_);
    error_.segment(part * n_, n_) = filtered_.head(n_);
  }
}
}  // namespace trill
