// SPDX-License-Identifier: BSD-3-Clause
#include "multiscale/modal_motion.hpp"

namespace trill {
ModalMotion::ModalMotion(const ModalSystem& system, const LinearStructure& structure)
    : system_(system), factors_(structure) {
  const Index size = 2 * system.size() + (most_force_degree + 1) * system.loads.cols();
  if (system.coupling.size() == 0) return;
  together_.resize(size);
  moved_.resize(size);
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
void ModalMotion::prepare_exponential(double h) {
  if (h == prepared_) return;
  const Index r = system_.size(), loads = system_.loads.cols();
  Mat a = Mat::Zero(together_.size(), together_.size());
  a.block(0, r, r, r).setIdentity();
  if (system_.stiffness.size() > 0)
    a.block(r, 0, r, r) = -system_.stiffness;
  else
    a.block(r, 0, r, r).diagonal() = -system_.lambda;
  a.block(r, r, r, r) = -system_.coupling;
  a.block(r, 2 * r, r, loads) = system_.loads;
  for (Index k = 0; k < most_force_degree; ++k)
    a.block(2 * r + k * loads, 2 * r + (k + 1) * loads, loads, loads).setIdentity();
  transition_ = matrix_exponential(h * a);
  prepared_ = h;
}

void ModalMotion::move_coupled(double h, Out x, Out v) {
  prepare_exponential(h);
  const Index r = system_.size(), loads = system_.loads.cols();
  together_.head(r) = x;
  together_.segment(r, r) = v;
  for (Index k = 0; k <= most_force_degree; ++k)
    together_.segment(2 * r + k * loads, loads) = factors_.derivatives().row(k).transpose();
  moved_.noalias() = transition_ * together_;
  x = moved_.head(r);
  v = moved_.segment(r, r);
}
}  // namespace trill
