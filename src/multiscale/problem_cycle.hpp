// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "multiscale/cycle_trace.hpp"
#include "multiscale/inner_motion.hpp"
#include "problem/cycle_map.hpp"

namespace trill {
// Cycles of known length: those of a problem that is driven with the period T, or whose own period is constant. A cycle
// from t0 + n T to t0 + (n + 1) T is an integration of the problem from its start to its end.
class ProblemCycle final : public CycleMap {
 public:
  // rtol: of the integration of cycles, a tenth or less of the tolerance of the envelope. One cycle is computed here to
  // choose the method and its first step, and to see how large the components are.
  ProblemCycle(const Problem& problem, const State& start, double period, double rtol);

  std::string name() const override { return "cycles of " + motion_->problem().name(); }
  Layout layout() const override { return start_.layout; }
  std::vector<Quantity> components() const override { return motion_->problem().components(); }
  State initial_state() const override { return start_; }
  std::unique_ptr<Problem> clone() const override;
  std::string time_unit() const override { return motion_->problem().time_unit(); }

  bool change(double n, In z, Out change) const override;
  double time(double n, In z) const override;
  double cycles_until(double t, double n, In z) const override;
  bool part(double n, In z, double t, Out end) const override;

  double period() const { return period_; }
  bool is_periodic() const { return periodic_; }  // nothing but the cycle itself depends on the time
  const char* method() const { return method_; }  // that integrates the cycles
  // What the components did in the last cycle computed, by whatever function. It costs values inside the steps, so it
  // is done only where asked for.
  void follow_cycles(bool follow) { follows_ = follow; }
  void keep_waveform(bool keep) { trace_.keep_points(keep); }
  const CycleTrace& trace() const { return trace_; }
  const Counters& work() const { return motion_->work(); }
  std::int64_t evaluations() const { return work().most_forces(); }

 private:
  void probe();
  bool integrate(double cycle, In z, double until, Out end) const;
  void follow_step() const;
  bool changes_alike(double t, In y) const;

  State start_;
  double period_, rtol_;
  const char* method_ = "dop853";
  std::int64_t most_steps_ = 0;
  bool periodic_ = true, follows_ = false;
  std::unique_ptr<InnerMotion> motion_;
  mutable CycleTrace trace_;
  mutable Vec later_, inside_;
};
}  // namespace trill
