// SPDX-License-Identifier: BSD-3-Clause
#include "method/charge_stages.hpp"

#include "method/charge_steps.hpp"
#include "method/shifted_matrix.hpp"
#include "method/stage_polynomial.hpp"
#include "trill/linalg/kernels.hpp"

#include <array>
#include <cmath>

namespace trill {
namespace {
// The polynomial of the last step is not extrapolated further than this many lengths of it.
constexpr double furthest_charges = 2;
}  // namespace

ChargeStages::ChargeStages(const StageBlock& block, const CircuitProblem& problem)
    : StageSystem(block, problem.layout().size(), 0, 0, 1),
      problem_(problem),
      dcharge_(problem.jacobian_pattern()),
      dcurrent_(dcharge_),
      charge0_(Vec::Zero(n_)),
      before_(charge0_),
      moved_(charge0_),
      limited_(charge0_),
      charges_(Mat::Zero(n_, block.count)),
      carries_charge_(static_cast<std::size_t>(n_), true),
      nodes_(Vec::Zero(block.count + 1)),
      past_(Mat::Zero(n_, block.count + 1)),
      longest_step_(longest_charge_step(problem, block.count)),
      settled_(charge0_) {
  nodes_.tail(block.count) = block.position.c.segment(block.first, block.count);
  matrix_ = std::make_unique<ShiftedMatrix>(problem.jacobian_pattern(), block, 0);
  matrix_->add(dcharge_, 0, 0, false, 1, 1);
  matrix_->add(dcurrent_, 0, 0, false, 0, 1);
}

void ChargeStages::start(const State& s) {
  consistent_.emplace(problem_, s.t, s.y);
  problem_.jacobians(s.t, s.y, dcharge_, dcurrent_);
  carries_charge_ = charged_unknowns(dcharge_);
  forget_steps();
  guesses_settled_ = false;
}

// The derivative of the charges behind the state, where the algebraic equations hold.
bool ChargeStages::derivative(const State& s, Out k, Out) {
  moved_ = s.y;
  consistent_->settle(s.t, moved_);
  problem_.current(s.t, moved_, k);
  k = -k;
  return all_finite(k);
}

// If the state is the end of the step before, the stages of that step become the past.
void ChargeStages::begin(double t, double h, In y0, In k1) {
  const bool goes_on = has_stages_ && y0 == V.col(block_.stages - 1);
  if (goes_on) {
    past_.col(0) = y0_;
    past_.rightCols(block_.count) = V.middleCols(block_.first, block_.count);
    past_h_ = h_;
    has_past_ = true;
  } else if (t != t_) {
    has_past_ = false;
  }
  if (t != t_) guesses_settled_ = false;
  has_stages_ = false;
  StageSystem::begin(t, h, y0, k1);
  problem_.charge(y0_, charge0_);
  if (!guesses_settled_) return;
  settled_ = y0;
  consistent_->settle(t, settled_);
}

// K = S (q(X) - q0)/h.
void ChargeStages::find_derivatives(In x) {
  for (Index i = 0; i < block_.count; ++i) {
    V.col(block_.first + i) = y0_ + x.segment(i * n_, n_);
    problem_.charge(V.col(block_.first + i), charges_.col(i));
    charges_.col(i) -= charge0_;
  }
  for (Index i = 0; i < block_.count; ++i) {
    double* k = K.col(block_.first + i).data();
    std::fill_n(k, n_, 0.0);
    for (Index j = 0; j < block_.count; ++j) add_scaled(k, block_.S(i, j) / h_, charges_.col(j).data(), n_);
  }
  has_stages_ = true;
}

void ChargeStages::stage_residual(Index stage, double t, const double*, double* r) {
  Eigen::Map<Vec> residual(r, n_);
  problem_.current(t, V.col(stage), residual);
  residual += K.col(stage);
}

void ChargeStages::linearise() { problem_.jacobians(point.t, point.v, dcharge_, dcurrent_); }

// The values of the last step, extrapolated; without one, the values at the start.
void ChargeStages::guess(const Mat&, const Mat&, Out x) const {
  x.setZero();
  if (guesses_settled_) {
    for (Index i = 0; i < block_.count; ++i) x.segment(i * n_, n_) = settled_ - y0_;
    return;
  }
  const double ratio = has_past_ ? h_ / past_h_ : 0;
  if (!(ratio > 0 && ratio <= furthest_charges)) return;
  std::array<double, most_implicit_stages + 1> storage;
  Eigen::Map<Vec> weights(storage.data(), nodes_.size());
  for (Index i = 0; i < block_.count; ++i) {
    lagrange_weights(nodes_, 1 + ratio * nodes_[i + 1], weights);
    auto z = x.segment(i * n_, n_);
    z.noalias() = past_ * weights;
    z -= y0_;
  }
}

bool ChargeStages::limit(In x, Out step) {
  for (Index i = 0; i < block_.count; ++i) {
    auto part = step.segment(i * n_, n_);
    before_ = y0_ + x.segment(i * n_, n_);
    moved_ = before_ + part;
    limited_ = moved_;
    problem_.limit(before_, limited_);
    for (Index c = 0; c < n_; ++c)
      if (limited_[c] != moved_[c]) part[c] += limited_[c] - moved_[c];
  }
  return true;
}

// Charges come from differences of voltages, so each of them is affected by the rounding of the largest.
double ChargeStages::size_in_tolerances(In weights) const {
  return max_abs(y0_) * std::sqrt(weights.squaredNorm() / static_cast<double>(n_));
}

// (sigma C + G) x = sigma e. Unknowns without charge may jump; they follow from the others and are not tested.
void ChargeStages::filter(Vec& error) {
  filtered_ = real_shift() * error;
  matrix_->solve_real(filtered_);
  error = filtered_;
  drop_chargeless(error);
}

bool ChargeStages::slope(const State& s, In, double dt, Out slope) {
  moved_ = s.y;
  if (!consistent_->slope(s.t, dt, s.y, moved_)) return false;
  drop_chargeless(moved_);
  slope = moved_;
  return true;
}

void ChargeStages::drop_chargeless(Vec& x) const {
  for (Index c = 0; c < n_; ++c)
    if (!carries_charge_[static_cast<std::size_t>(c)]) x[c] = 0;
}
}  // namespace trill
