// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "formulation/missing_force.hpp"
#include "method/implicit_rk_plan.hpp"
#include "method/slow_motion.hpp"

namespace trill {
// Reports what steps with h >> epsilon may get wrong without any failure, together with the number that showed it. Sums
// up the energies of the oscillation over the run. For systems without stiff gaps there is nothing to report.
class OscillationWatch {
 public:
  explicit OscillationWatch(const MechanicalProblem* problem);  // nullptr: not mechanical
  void start(LiftedForm& form, const ImplicitRkPlan& plan);     // starts a run; form and plan must outlive it
  // Compares frequencies near the point where steps start; `beside` is a SlowPoint to use for that.
  void probe(const State& s, SlowPoint& here, SlowPoint& beside);
  void advance(double t, const StepRequest& request, SlowMotion& slow);  // after a step to t

  std::vector<Quantity> diagnostics() const;
  void diagnose(const SlowMotion& slow, Out values) const;
  std::string summary(const SlowMotion& slow) const;
  void memory(Archive& archive) { archive(sums_); }

 private:
  // Results over the run.
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
  std::unique_ptr<MissingForce> missing_;
  bool compares_ = false;  // missing_ has been started
  Sums sums_;
  Vec across_;
};
}  // namespace trill
