// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "method/guess_policy.hpp"
#include "method/inside_steps.hpp"
#include "method/oscillation_watch.hpp"
#include "method/step_interior.hpp"

#include <optional>

namespace trill {
class CircuitProblem;

// One step of an implicit Runge-Kutta method for first-order systems, for circuits, and for mechanical systems in
// lifted form, with starting values and Newton matrix from the slow manifold (JP95 sec. 4). Only two objects know the
// kind of problem: the stages (first-order, of charges or mechanical) and the slow motion (none, or that of gaps and
// constraints).
class ImplicitRk : public Stepper, public ControlsInside {
 public:
  ~ImplicitRk() override;
  const MethodInfo& info() const override { return info_; }
  void start(State& s, const ErrorScale& scale) override;
  double initial_step(const State& s, const ErrorScale& scale, double h_max, Counters& work) override;
  StepResult step(State& s, const StepRequest& request) override;
  void interpolate(double theta, Out y) override;
  void values_inside_are_used(bool used) override { used_inside_ = used; }
  std::vector<Quantity> diagnostics() const override { return watch_.diagnostics(); }
  void diagnose(Out values) const override { watch_.diagnose(*slow_, values); }
  std::string summary() const override { return watch_.summary(*slow_); }
  void memory(Archive& archive) override;

 protected:
  ImplicitRk(const Problem& problem, MethodInfo info);
  virtual ImplicitRkPlan plan(const ErrorScale& scale) = 0;  // for a run that starts now; may update info_
  [[noreturn]] void refuse(const std::string& why) const;
  const MechanicalProblem* mechanics() const { return mechanical_; }
  MethodInfo info_;

 private:
  void start_mechanics(const State& s);
  SlowPoint::Status find_slow_motion(const State& s);
  double shorten_by_later_forces(const State& s, const ErrorScale& scale, double h, double direction, Counters& work);
  bool find_first_stage(const State& s, Counters& work);
  const Vec& weights_of_newton(const StepRequest& request);
  StepStatus solve_stages(const State& s, const StepRequest& request, NewtonStats& newton);
  StepStatus finish(const State& s, const StepRequest& request);
  double estimate(const State& s, const StepRequest& request);
  double error_inside(const State& s, const StepRequest& request);   // of values between the ends of the step
  void remove_rounding(const State& s, const StepRequest& request);  // from accelerations and multipliers
  bool passes_error_test(const State& s, const StepRequest& request, StepResult& result);
  bool accept(State& s, const StepRequest& request, StepResult& result);  // false: the step is to be repeated

  const Problem& problem_;
  const FirstOrderProblem* first_order_ = nullptr;  // exactly one of these three is set
  const CircuitProblem* circuit_ = nullptr;
  const MechanicalProblem* mechanical_ = nullptr;
  ImplicitRkPlan plan_;
  EmbeddedFormula embedded_;
  std::unique_ptr<LiftedForm> form_;
  std::unique_ptr<SlowMotion> slow_;
  std::unique_ptr<StageSystem> stages_;
  OscillationWatch watch_;
  GuessPolicy guess_;
  StepInterior interior_;
  NewtonOptions newton_options_;
  std::optional<Newton> newton_;
  Vec x_, x_weights_, tight_weights_, y1_, k1_, l1_, error_;
  // Step for which the matrices were factorised, and the rate at which Newton converges with them.
  double factor_h_ = 0, rate_ = 1;
  double t1_ = 0, h1_ = 0;  // end and size of the last step
  bool used_inside_ = false;
};
}  // namespace trill
