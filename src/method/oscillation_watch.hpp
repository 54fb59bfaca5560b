// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "method/implicit_rk_plan.hpp"
#include "method/slow_motion.hpp"

namespace trill {
// What steps with h >> epsilon may get wrong without anything failing: said, with the number that showed it. Energies
// of the oscillation over the run are summed up here. Of systems without stiff gaps there is nothing to say.
class OscillationWatch {
 public:
  explicit OscillationWatch(const MechanicalProblem* problem);  // nullptr: not mechanical
  void start(LiftedForm& form, const ImplicitRkPlan& plan);     // a run; both must outlive it
  // Compares frequencies beside a start of steps; `beside` is a point to do so with.
  void probe(const State& s, SlowPoint& here, SlowPoint& beside);
  void advance(double t, const StepRequest& request, SlowMotion& slow);  // after a step to t

  std::vector<Quantity> diagnostics() const;
  void diagnose(const SlowMotion& slow, Out values) const;
  std::string summary(const SlowMotion& slow) const;
  void memory(Archive& archive) { archive(sums_); }

 private:
  // Over the run.
  struct Sums {
    double damped = 0, max_fast = 0, max_kinetic = 0;  // energies
  };
  bool has_gaps() const { return form_ && form_->gaps() > 0; }
  double energy_share(const StepRequest& request) const;
  void watch_frequencies(double t, const StepRequest& request, const SlowMotion& slow);
  void watch_damping(double t, const StepRequest& request) const;
  void watch_resonance(double t, const StepRequest& request, SlowMotion& slow) const;

  bool watches_;
  LiftedForm* form_ = nullptr;
  const ImplicitRkPlan* plan_ = nullptr;
  std::unique_ptr<SlowPoint> first_;  // of the run, to compare frequencies with
  Sums sums_;
  double probed_change_ = 0;  // of frequencies, over a length of the system beside the start
  Vec across_;
};
}  // namespace trill
