// SPDX-License-Identifier: BSD-3-Clause
#include "multiscale/micro_window.hpp"

#include "trill/linalg/kernels.hpp"

namespace trill {
void MicroWindow::start(In q) {
  accelerate_.start(q);
  q0_ = v0_ = a0_ = q_ = v_ = a_ = Vec::Zero(q.size());
}

bool MicroWindow::follow(double h, const AveragingWeights& weights, double t, In q, In v, Means& means) {
  q0_ = q;
  v0_ = v;
  accelerate_(t, q0_, v0_, a0_);
  forces_ += 1 + 2 * weights.reach();
  means.q = weights[0] * q0_;
  means.v = weights[0] * v0_;
  means.a = weights[0] * a0_;
  return side(h, weights, t, means) && side(-h, weights, t, means) && all_finite(means.a);
}

// Velocities are stored at half steps; velocity-dependent forces use these values too.
bool MicroWindow::side(double h, const AveragingWeights& weights, double t, Means& means) {
  const Index n = q0_.size(), reach = weights.reach();
  if (!kick_drift(q0_.data(), v0_.data(), a0_.data(), 0.5 * h, h, q_.data(), v_.data(), n)) return false;
  for (Index k = 1;; ++k) {
    accelerate_(t + static_cast<double>(k) * h, q_, v_, a_);
    const double w = weights[k];
    add_scaled(means.q.data(), w, q_.data(), n);
    add_scaled(means.v.data(), w, v_.data(), n);
    add_scaled(means.v.data(), 0.5 * h * w, a_.data(), n);
    add_scaled(means.a.data(), w, a_.data(), n);
    if (k == reach) return true;
    if (!kick_drift(q_.data(), v_.data(), a_.data(), h, h, q_.data(), v_.data(), n)) return false;
  }
}
}  // namespace trill
