// SPDX-License-Identifier: BSD-3-Clause
// Where Newton's iteration for the stages of a step starts, and where its matrix is formed.
#include "method/implicit_rk.hpp"
#include "method/stage_polynomial.hpp"
#include "trill/linalg/kernels.hpp"

#include <array>
#include <cmath>

namespace trill {
namespace {
constexpr double furthest_memory = 2;  // in lengths of the step before: polynomials of stages are not carried further
// What an oscillation may leave in the stages, against the change of the slow acceleration over a step.
constexpr double quiet = 0.01;
}  // namespace

StageGuess ImplicitRk::choose_guess(double h) const {
  const StageGuess fresh = stiff_step_ ? StageGuess::slow_point : StageGuess::start;
  if (!remembers_ || std::abs(h) > furthest_memory * std::abs(h_) || h * h_ < 0) return fresh;
  if (!stiff_step_ || smooth_) return StageGuess::memory;
  const double across = std::max(speed_across_, max_abs(slow_->open) / std::abs(h_));
  return across < quiet * std::abs(h_) * slow_change_ ? StageGuess::memory : fresh;
}

void ImplicitRk::guess_stages(const State& s, double h) {
  switch (guess_) {
    case StageGuess::memory:
      guess_from_memory(h);
      break;
    case StageGuess::slow_point:
      guess_from_slow_point(s, h);
      break;
    case StageGuess::start:
      guess_k_.colwise() = k1_;
      guess_l_.colwise() = l1_;
  }
  stages_->guess(guess_k_, guess_l_, x_);
}

// Derivatives and multipliers of the stages before, carried on as polynomials.
void ImplicitRk::guess_from_memory(double h) {
  const StageBlock& block = plan_.block;
  const double ratio = h / h_;
  const Index m = guess_l_.rows();
  std::array<double, most_implicit_stages> storage;
  Eigen::Map<Vec> weights(storage.data(), block.count);
  const auto nodes = block.position.c.segment(block.first, block.count);
  for (Index i = 0; i < block.count; ++i) {
    lagrange_weights(nodes, 1 + ratio * nodes[i], weights);
    double* k = guess_k_.col(block.first + i).data();
    double* l = guess_l_.col(block.first + i).data();
    std::fill_n(k, n_, 0.0);
    std::fill_n(l, m, 0.0);
    for (Index j = 0; j < block.count; ++j) {
      add_scaled(k, weights[j], last_k_.col(block.first + j).data(), n_);
      add_scaled(l, weights[j], last_l_.col(block.first + j).data(), m);
    }
  }
}

// The limit of infinite frequency, with the smooth multiplier and acceleration added (JP95 sec. 4, corrected: the
// multipliers mu and nu of the projections stand for q0 - q~ and v0 - v~, and At^-2 (1 + At^-1 A1) for At^-2 1).
void ImplicitRk::guess_from_slow_point(const State& s, double h) {
  const StageBlock& block = plan_.block;
  const SlowPoint& slow = *slow_;
  const double* q0 = s.y.data();
  const double* v0 = q0 + n_;
  for (Index i = 0; i < block.count; ++i) {
    const double far = block.far[i] / (h * h), rate = -block.p_v[i] / h, first = block.p_k[i];
    double* k = guess_k_.col(block.first + i).data();
    double* l = guess_l_.col(block.first + i).data();
    for (Index c = 0; c < n_; ++c)
      k[c] = slow.a[c] + far * (slow.q[c] - q0[c]) + rate * (slow.v[c] - v0[c]) + first * (k1_[c] - slow.a[c]);
    for (Index c = 0; c < guess_l_.rows(); ++c)
      l[c] = slow.lambda[c] + far * slow.mu[c] + rate * slow.nu[c] + first * (l1_[c] - slow.lambda[c]);
  }
}

// The middle of the step: the matrix there differs least from those of all stages.
void ImplicitRk::choose_point(double t, double h) {
  const StageBlock& block = plan_.block;
  Index middle = block.first;
  for (Index i = block.first; i < block.first + block.count; ++i)
    if (std::abs(block.position.c[i] - 0.5) < std::abs(block.position.c[middle] - 0.5)) middle = i;
  const double dt = block.position.c[middle] * h;
  StageSystem::Point& point = stages_->point;
  point.t = t + dt;
  if (guess_ == StageGuess::slow_point) {
    point.q = slow_->q + dt * slow_->v + (0.5 * dt * dt) * slow_->a;
    point.v = slow_->v + dt * slow_->a;
    point.k = slow_->a;
    point.l = slow_->lambda;
    return;
  }
  stages_->unpack(x_);
  point.v = stages_->V.col(middle);
  point.k = stages_->K.col(middle);
  point.l = stages_->L.col(middle);
  if (mechanical_) point.q = stages_->Q.col(middle);
}
}  // namespace trill
