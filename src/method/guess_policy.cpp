// SPDX-License-Identifier: BSD-3-Clause
#include "method/guess_policy.hpp"

#include "method/stage_polynomial.hpp"
#include "method/stage_sums.hpp"
#include "trill/linalg/kernels.hpp"

#include <cmath>

namespace trill {
namespace {
// Polynomials of the stages are not extrapolated further than this many lengths of the previous step.
constexpr double furthest_memory = 2;
}  // namespace

void GuessPolicy::start(const StageSystem& stages) {
  block_ = &stages.block();
  k_ = last_k_ = Mat::Zero(stages.unknowns(), block_->stages);
  l_ = last_l_ = Mat::Zero(stages.multipliers(), block_->stages);
  weights_ = Mat::Zero(block_->count, block_->count);
  weights_for_ = 0;
  remembers_ = false;
}

void GuessPolicy::choose(double h, const SlowMotion& slow) {
  const bool stiff = slow.step().stiff;
  const bool in_reach = remembers_ && std::abs(h) <= furthest_memory * std::abs(last_h_) && h * last_h_ >= 0;
  if (in_reach && (!stiff || slow.is_quiet(last_h_)))
    source_ = Source::memory;
  else
    source_ = stiff ? Source::slow_point : Source::start;
}

bool GuessPolicy::recall_state(Out k, Out l) const {
  if (!remembers_ || !(block_->stiffly_accurate || block_->partitioned)) return false;
  k = last_k_.col(block_->stages - 1);
  l = last_l_.col(block_->stages - 1);
  return true;
}

void GuessPolicy::keep(double h, const StageSystem& stages, bool go_on) {
  last_k_ = stages.K;
  last_l_ = stages.L;
  last_h_ = h;
  remembers_ = go_on;
}

void GuessPolicy::guess(double h, In y0, In k1, In l1, const SlowMotion& slow, StageSystem& stages, Out x) {
  switch (source_) {
    case Source::memory:
      carry_on(h);
      break;
    case Source::slow_point:
      guess_from_slow_point(h, y0, k1, l1, *slow.point());
      break;
    case Source::start:
      k_.colwise() = k1;
      l_.colwise() = l1;
  }
  stages.guess(k_, l_, x);
}

void GuessPolicy::find_weights(double ratio) {
  const auto nodes = block_->position.c.segment(block_->first, block_->count);
  for (Index i = 0; i < block_->count; ++i) lagrange_weights(nodes, 1 + ratio * nodes[i], weights_.col(i));
  weights_for_ = ratio;
}

// Extrapolates the polynomials of the previous step's derivatives and multipliers.
void GuessPolicy::carry_on(double h) {
  if (h / last_h_ != weights_for_) find_weights(h / last_h_);
  extrapolate(last_k_, k_);
  extrapolate(last_l_, l_);
}

void GuessPolicy::extrapolate(const Mat& last, Mat& next) const {
  with_small(last.rows(), [&](auto n) {
    with_stages(block_->count, [&](auto count) {
      using Sum = StageSum<decltype(n)>;
      const double* from = last.data() + block_->first * n;
      double* to = next.data() + block_->first * n;
      for (Index i = 0; i < count; ++i, to += n) {
        const double* weights = weights_.data() + i * count;
        auto sum = Sum::zero(to, n);
        Sum::add(
            count, [&](Index j) { return weights[j]; }, from, n, n, sum);
        typename Sum::Write(to, n) = sum;
      }
    });
  });
}

// The limit of infinite frequency plus the smooth multiplier and acceleration (JP95 sec. 4, corrected: the multipliers
// mu and nu of the projections stand for q0 - q~ and v0 - v~, and At^-2 (1 + At^-1 A1) for At^-2 1).
void GuessPolicy::guess_from_slow_point(double h, In y0, In k1, In l1, const SlowPoint& slow) {
  const StageBlock& block = *block_;
  const Index n = k_.rows();
  const double* q0 = y0.data();
  const double* v0 = q0 + n;
  for (Index i = 0; i < block.count; ++i) {
    const double far = block.far[i] / (h * h), rate = -block.p_v[i] / h, first = block.p_k[i];
    double* k = k_.col(block.first + i).data();
    double* l = l_.col(block.first + i).data();
    for (Index c = 0; c < n; ++c)
      k[c] = slow.a[c] + far * (slow.q[c] - q0[c]) + rate * (slow.v[c] - v0[c]) + first * (k1[c] - slow.a[c]);
    for (Index c = 0; c < l_.rows(); ++c)
      l[c] = slow.lambda[c] + far * slow.mu[c] + rate * slow.nu[c] + first * (l1[c] - slow.lambda[c]);
  }
}

// In the middle of the step, where the matrix differs least from those of all stages.
void GuessPolicy::place_matrix(double t, double h, const SlowMotion& slow, StageSystem& stages) const {
  const StageBlock& block = *block_;
  Index middle = block.first;
  for (Index i = block.first; i < block.first + block.count; ++i)
    if (std::abs(block.position.c[i] - 0.5) < std::abs(block.position.c[middle] - 0.5)) middle = i;
  const double dt = block.position.c[middle] * h;
  StageSystem::Point& point = stages.point;
  point.t = t + dt;
  stages.point_stage = -1;
  if (source_ == Source::slow_point) {
    const SlowPoint& here = *slow.point();
    point.q = here.q + dt * here.v + (0.5 * dt * dt) * here.a;
    point.v = here.v + dt * here.a;
    point.k = here.a;
    point.l = here.lambda;
    return;
  }
  stages.point_stage = middle;
}
}  // namespace trill
