// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "problem/cycle_map.hpp"
#include "trill/base/options.hpp"

namespace trill::papers::envelopes {
// Cycles with a closed form: one period of x' = -W y + d x (1 - r^2), y' = W x + d y (1 - r^2), W = 2 pi + d b r^2,
// with d = 0.002 and b = 0.7, from (0.3, 0).
class HopfCycles : public CycleMap {
 public:
  std::string name() const override { return "Hopf oscillator"; }
  Layout layout() const override { return {.nq = 2}; }
  std::vector<Quantity> components() const override { return {{"x", ""}, {"y", ""}}; }
  State initial_state() const override;
  std::unique_ptr<Problem> clone() const override { return std::make_unique<HopfCycles>(*this); }
  bool change(double, In z, Out change) const override;
  static Vec after(In z, double cycles);
};

// z -> rho z, from 1.
class LinearCycles final : public HopfCycles {
 public:
  explicit LinearCycles(double real, double imaginary) : real_(real), imaginary_(imaginary) {}
  State initial_state() const override;
  std::unique_ptr<Problem> clone() const override { return std::make_unique<LinearCycles>(*this); }
  bool change(double, In z, Out change) const override;

 private:
  double real_, imaginary_;
};

// The state after so many cycles, in steps of `each` cycles.
Vec in_equal_steps(const CycleMap& map, const std::string& method, OptionSet options, int each, double cycles);
}  // namespace trill::papers::envelopes
