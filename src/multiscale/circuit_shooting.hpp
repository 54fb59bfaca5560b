// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "multiscale/circuit_cycle.hpp"
#include "multiscale/shooting_cycle.hpp"

namespace trill {
// The cycles of a circuit for shooting. Every cycle is the first one: what changes slowly stays as it is at the start.
class CircuitShooting final : public ShootingCycle {
 public:
  explicit CircuitShooting(CircuitCycle& cycle) : cycle_(cycle), names_(cycle.components()) {}
  Index size() const override { return cycle_.independent(); }
  std::string component_name(Index k) const override { return names_[static_cast<std::size_t>(k)].name; }
  bool advance(In z, Out end) override;
  bool advance_with_derivative(In z, Out end, Mat& derivative) override;
  void sizes(Out size) const override;

  bool has_products() const override { return true; }
  bool advance_and_keep(In z, Out end) override;
  void product(In v, Out derivative_v) override;

  bool move_in_half_steps(In z, const Mat& directions, const Vec& sizes, Mat& moved, FastOscillation& fast) override;
  const CycleCounts& half_step_counts() const { return half_step_counts_; }

  void set_period(double period) override { cycle_.set_period(period); }
  void slope(Out dz_dt) const override { dz_dt = cycle_.end_rate(); }

 private:
  CircuitCycle& cycle_;
  std::vector<Quantity> names_;
  CycleCounts half_step_counts_;
};
}  // namespace trill
