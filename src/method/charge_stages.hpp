// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "method/stage_system.hpp"
#include "problem/consistent_charges.hpp"

#include <optional>

namespace trill {
// d/dt charge(x) + current(t, x) = 0, for stiffly accurate methods: a step uses the charges at its start and no other
// property of that state, and ends on the algebraic equations. V holds x, K the derivatives of the charges.
class ChargeStages final : public StageSystem {
 public:
  ChargeStages(const StageBlock& block, const CircuitProblem& problem);
  void start(const State& s) override;
  bool derivative(const State& s, Out k, Out l) override;
  void begin(double t, double h, In y0, In k1) override;
  bool fill_last() override { return true; }
  void guess(const Mat& k, const Mat& l, Out x) const override;
  bool limit(In x, Out step) override;
  void newton_weights(In w, Out x_weights) const override { x_weights = w.replicate(block_.count, 1); }
  double size_in_tolerances(In weights) const override;
  void filter(Vec& error) override;
  void forget_steps() override { has_past_ = has_stages_ = false; }
  void guess_otherwise() override { guesses_settled_ = true; }
  bool slope(const State& s, In k, double dt, Out slope) override;
  void settle(double t, Out y) override { consistent_->settle(t, y); }
  double longest_step() const override { return longest_step_; }

 protected:
  void find_derivatives(In x) override;
  void stage_residual(Index stage, double t, const double* l, double* r) override;
  void linearise() override;

 private:
  void drop_chargeless(Vec& x) const;

  const CircuitProblem& problem_;
  MatrixSlot dcharge_, dcurrent_;
  std::optional<ConsistentCharges> consistent_;
  Vec charge0_, before_, moved_, limited_;
  Mat charges_;  // of the stages, above those of the start
  std::vector<bool> carries_charge_;
  // The last accepted step, for guesses: its values at both ends and at the stages between them.
  Vec nodes_;
  Mat past_;
  double past_h_ = 0, longest_step_;
  bool has_past_ = false, has_stages_ = false;
  // A frozen matrix finds algebraic unknowns only from nearby, however short the step is: at a diode the current grows
  // e-fold in 26 mV, and the state may be off the algebraic equations by the tolerance.
  bool guesses_settled_ = false;
  Vec settled_;
};
}  // namespace trill
