// SPDX-License-Identifier: BSD-3-Clause
// What a step leaves for others: its inside, its measures, its archive.
#include "method/implicit_rk.hpp"
#include "method/stage_polynomial.hpp"
#include "trill/method/hermite.hpp"

namespace trill {
void ImplicitRk::keep_for_output(const State& s) {
  const Index v_at = mechanical_ ? n_ : 0, last = nodes_.size() - 1;
  y0_ = s.y;
  if (!plan_.block.collocation) return;
  dense_v_.col(0) = s.y.segment(v_at, n_);
  dense_v_.col(last) = y1_.segment(v_at, n_);
  dense_q_.col(0) = s.y.head(n_);
  dense_q_.col(last) = y1_.head(n_);
  if (hard_ > 0) {
    dense_l_.col(0) = s.lambda();
    dense_l_.col(last) = y1_.segment(2 * n_, hard_);
  }
  Index node = 1;
  for (Index i = 0; i < plan_.block.stages; ++i) {
    if (!(plan_.block.position.c[i] > 0 && plan_.block.position.c[i] < 1)) continue;
    dense_v_.col(node) = stages_->V.col(i);
    if (mechanical_) dense_q_.col(node) = stages_->Q.col(i);
    dense_l_.col(node) = stages_->L.col(i).tail(hard_);
    ++node;
  }
}

void ImplicitRk::interpolate(double theta, Out y) {
  y = (1 - theta) * y0_ + theta * y1_;
  if (!plan_.block.collocation) {
    hermite(theta, h_, y0_.head(n_), y0_.segment(n_, n_), y1_.head(n_), y1_.segment(n_, n_), y.head(n_));
    hermite_slope(theta, h_, y0_.head(n_), y0_.segment(n_, n_), y1_.head(n_), y1_.segment(n_, n_), y.segment(n_, n_));
    return;
  }
  lagrange_weights(nodes_, theta, node_weights_);
  if (mechanical_) y.head(n_).noalias() = dense_q_ * node_weights_;
  y.segment(mechanical_ ? n_ : 0, n_).noalias() = dense_v_ * node_weights_;
  if (hard_ > 0) y.segment(2 * n_, hard_).noalias() = dense_l_ * node_weights_;
}

std::vector<Quantity> ImplicitRk::diagnostics() const {
  if (!mechanical_ || !mechanical_->strong_potential()) return {};
  return {{"fast_energy", "", QuantityKind::energy_part}, {"damped_energy", "", QuantityKind::energy_part}};
}

void ImplicitRk::diagnose(Out values) const {
  if (values.size() == 0) return;
  values[0] = lifted() ? slow_->fast_energy() : 0;
  values[1] = damped_energy_;
}

void ImplicitRk::save(Archive& archive) const {
  for (const double value : {damped_energy_, most_fast_energy_, most_kinetic_, most_turning_, slow_rate_, solvable_})
    archive.write(value);
}

void ImplicitRk::load(Archive& archive) {
  for (double* value : {&damped_energy_, &most_fast_energy_, &most_kinetic_, &most_turning_, &slow_rate_, &solvable_})
    archive.read(*value);
}
}  // namespace trill
