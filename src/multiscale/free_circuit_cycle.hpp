// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "multiscale/charge_cycle.hpp"
#include "problem/cycle_map.hpp"
#include "trill/base/archive.hpp"

namespace trill {
// Cycles of a circuit that oscillates by itself, each from where an unknown rises through a level to where it does so
// again. The unknown is z = (charges, t): the time is one more component, and its change is the period, which may
// change. Where nothing crosses the level, because the oscillation has not begun, a piece of the motion takes the place
// of a cycle.
class FreeCircuitCycle final : public CycleMap {
 public:
  // period: about. The first cycle begins at the start, wherever that is.
  FreeCircuitCycle(const CircuitProblem& problem, const State& start, ChargeCycle::Section section, double period,
                   double rtol);

  std::string name() const override { return problem().name(); }
  Layout layout() const override { return {.nq = charges() + 1}; }
  std::vector<Quantity> components() const override;
  State initial_state() const override;
  std::string time_unit() const override { return problem().time_unit(); }
  std::unique_ptr<Problem> clone() const override;

  bool change(double n, In z, Out change) const override;
  bool change_and_derivative(double n, In z, Out change, Mat& derivative) const override;
  bool derives_cheaply() const override { return true; }
  bool record(double n, In z, Out change) const override;
  bool tangent(In v, Out image) const override;
  std::string trouble() const override { return engine_.failure(); }
  double time(double, In z) const override { return z[charges()]; }
  double cycles_until(double t, double n, In z) const override;
  bool part(double n, In z, double t, Out end) const override;
  void sizes(In z, In largest, Out sizes) const override;  // an error in time counts as the error in phase that it is
  std::vector<double> breakpoints(double t0, double t1) const override;

  const CircuitProblem& problem() const { return engine_.problem(); }
  Index charges() const { return engine_.independent(); }
  double period() const { return period_; }  // of the last cycle
  Vec reduce(In x) const;                    // all unknowns -> charges
  bool expand(In z, Out x) const;            // x is the guess on entry; false: there are no such values
  const std::vector<int>& mode() const { return mode_; }
  const CycleTrace& trace() const { return engine_.trace(); }
  const Vec& end_values() const { return engine_.x(); }
  const CycleCounts& counts() const { return engine_.counts(); }
  void memory(Archive& archive);

 private:
  bool run(In z, ChargeCycle::Derivative derivative, const Mat* directions, Out change) const;

  State start_;
  ChargeCycle::Section section_;
  double rtol_;
  mutable ChargeCycle engine_;
  mutable double period_, expected_;  // of the last cycle; close to it, for the steps within a cycle
  mutable std::vector<int> mode_;
};
}  // namespace trill
