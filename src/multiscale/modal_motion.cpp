// SPDX-License-Identifier: BSD-3-Clause
#include "multiscale/modal_motion.hpp"

#include <cmath>

namespace trill {
namespace {
constexpr double equal_lengths = 1e-12;
}  // namespace

ModalMotion::ModalMotion(const ModalSystem& system, const LinearStructure& structure)
    : system_(system), factors_(structure) {
  const Index size = 2 * system.size() + (most_force_degree + 1) * system.loads.cols();
  if (system.coupling.size() == 0) return;
  together_.resize(size);
  moved_.resize(size);
  build_ladder();
}

void ModalMotion::advance(double t, double h, Out x, Out v) {
  const double end = t + h;
  for (double left = h; left > 0;) {
    const double part = factors_.fit(t, left);
    if (system_.coupling.size() == 0)
      move_oscillators(part, x, v);
    else
      move_coupled(part, x, v);
    if (part == left) return;
    t += part;
    left = end - t;
  }
}

void ModalMotion::move_oscillators(double h, Out x, Out v) {
  const Mat& p = factors_.derivatives();
  for (Index j = 0; j < system_.size(); ++j) {
    response_.compute(system_.lambda[j], system_.damping[j], h);
    double position = response_.from_position() * x[j] + response_.from_velocity() * v[j];
    double velocity = response_.velocity_from_position() * x[j] + response_.velocity_from_velocity() * v[j];
    for (int k = 0; k <= most_force_degree; ++k) {
      double force = 0;
      for (Index i = 0; i < p.cols(); ++i) force += system_.loads(j, i) * p(k, i);
      position += force * response_.from_force(k);
      velocity += force * response_.velocity_from_force(k);
    }
    x[j] = position;
    v[j] = velocity;
  }
}

// Polynomials are motions too: the k-th derivative moves with the (k+1)-th one as its rate.
void ModalMotion::build_ladder() {
  const Index r = system_.size(), loads = system_.loads.cols();
  const bool is_full = system_.stiffness.size() > 0;
  const Mat stiffness = is_full ? system_.stiffness : Mat(system_.lambda.asDiagonal());
  if (r > 0) speed_ = std::sqrt(stiffness.cwiseAbs().maxCoeff());
  if (!(speed_ > 0)) speed_ = 1;
  Mat a = Mat::Zero(together_.size(), together_.size());
  a.block(0, r, r, r).diagonal().setConstant(speed_);
  a.block(r, 0, r, r) = -stiffness / speed_;
  a.block(r, r, r, r) = -system_.coupling;
  a.block(r, 2 * r, r, loads) = system_.loads / speed_;
  for (Index k = 0; k < most_force_degree; ++k)
    a.block(2 * r + k * loads, 2 * r + (k + 1) * loads, loads, loads).setIdentity();
  ladder_ = ExponentialLadder(std::move(a));
}

// Steps have one length up to the rounding of times, rows between them have any.
void ModalMotion::move_coupled(double h, Out x, Out v) {
  const Index r = system_.size(), loads = system_.loads.cols();
  together_.head(r) = x;
  together_.segment(r, r) = v / speed_;
  for (Index k = 0; k <= most_force_degree; ++k)
    together_.segment(2 * r + k * loads, loads) = factors_.derivatives().row(k).transpose();
  if (prepared_ == 0 || std::abs(h - last_) <= equal_lengths * h) {
    if (h != prepared_) transition_ = ladder_.matrix(h);
    prepared_ = h;
  }
  last_ = h;
  moved_ = together_;
  if (ladder_.nudge(h - prepared_, moved_)) {
    together_.noalias() = transition_ * moved_;
    moved_.swap(together_);
  } else {
    ladder_.move(h, moved_);
  }
  x = moved_.head(r);
  v = speed_ * moved_.segment(r, r);
}
}  // namespace trill
