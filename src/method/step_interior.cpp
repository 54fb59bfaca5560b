// SPDX-License-Identifier: BSD-3-Clause
#include "method/step_interior.hpp"

#include "method/stage_polynomial.hpp"
#include "trill/method/hermite.hpp"

#include <algorithm>
#include <cmath>

namespace trill {
namespace {
bool lies_inside(double node) { return node > 0 && node < 1; }

Vec dense_nodes(const StageBlock& block) {
  std::vector<double> nodes{0};
  for (Index i = 0; i < block.stages; ++i)
    if (lies_inside(block.position.c[i])) nodes.push_back(block.position.c[i]);
  nodes.push_back(1);
  return Eigen::Map<const Vec>(nodes.data(), static_cast<Index>(nodes.size()));
}

double node_product(In nodes, double x) { return (x - nodes.array()).prod(); }

// The largest product between the nodes.
double largest_product(In nodes) {
  constexpr int points = 400;
  double largest = 0;
  for (int k = 1; k < points; ++k) largest = std::max(largest, std::abs(node_product(nodes, k / double{points})));
  return largest;
}
}  // namespace

void StepInterior::start(const StageSystem& stages, const State& s) {
  block_ = &stages.block();
  positions_ = stages.positions();
  n_ = stages.unknowns();
  hard_ = std::min(s.layout.nl, stages.multipliers());
  nodes_ = dense_nodes(*block_);
  weights_ = Vec::Zero(nodes_.size());
  inside_ = tried_ = Mat::Zero(s.y.size(), nodes_.size());
  largest_ = largest_product(nodes_);
  follows_ = false;
}

// The next term of Newton's form of the polynomial, from the state at which the step before began.
bool StepInterior::estimate(double h, In y0, In y1, const StageSystem& stages, Out error) {
  if (!follows_ || !block_->collocation) return false;
  fill(y0, y1, stages, tried_);
  const double before = -h_ / h;
  lagrange_weights(nodes_, before, weights_);
  error = inside_.col(0);
  error.noalias() -= tried_ * weights_;
  error *= largest_ / node_product(nodes_, before);
  error.tail(error.size() - positions_ - n_).setZero();
  return true;
}

void StepInterior::fill(In y0, In y1, const StageSystem& stages, Mat& values) const {
  values.col(0) = y0;
  values.col(nodes_.size() - 1) = y1;
  if (!block_->collocation) return;
  double* to = values.col(1).data();
  for (Index i = 0; i < block_->stages; ++i) {
    if (!lies_inside(block_->position.c[i])) continue;
    const double *q = stages.Q.data() + i * positions_, *v = stages.V.data() + i * n_;
    const double* l = stages.L.data() + (i + 1) * stages.L.rows() - hard_;
    for (Index c = 0; c < positions_; ++c) to[c] = q[c];
    for (Index c = 0; c < n_; ++c) to[positions_ + c] = v[c];
    for (Index c = 0; c < hard_; ++c) to[positions_ + n_ + c] = l[c];
    to += values.rows();
  }
}

void StepInterior::keep(double h, In y0, In y1, const StageSystem& stages) {
  h_ = h;
  follows_ = true;
  is_smooth_ = !block_->collocation;
  fill(y0, y1, stages, inside_);
}

void StepInterior::smooth(double t, SlowMotion& slow) {
  if (!is_smooth_) slow.smooth_inside(t, h_, nodes_, inside_);
  is_smooth_ = true;
}

void StepInterior::interpolate(double theta, Out y) {
  const auto y0 = inside_.col(0), y1 = inside_.col(nodes_.size() - 1);
  y = (1 - theta) * y0 + theta * y1;
  if (!block_->collocation) {
    hermite(theta, h_, y0.head(n_), y0.segment(n_, n_), y1.head(n_), y1.segment(n_, n_), y.head(n_));
    hermite_slope(theta, h_, y0.head(n_), y0.segment(n_, n_), y1.head(n_), y1.segment(n_, n_), y.segment(n_, n_));
    return;
  }
  lagrange_weights(nodes_, theta, weights_);
  Index from = 0;
  for (const Index size : {positions_, n_, hard_}) {
    if (size > 0) y.segment(from, size).noalias() = inside_.middleRows(from, size) * weights_;
    from += size;
  }
}
}  // namespace trill
