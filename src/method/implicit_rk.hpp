// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "formulation/slow_point.hpp"
#include "method/stage_system.hpp"
#include "trill/formulation/acceleration.hpp"
#include "trill/method/stepper.hpp"

#include <optional>

namespace trill {
// What a run means to do with the fast oscillation (the choices of JP95 sec. 1): let the method damp it, keep its
// amplitude without following it, or follow it.
enum class FastMotion { damp, preserve, resolve };

struct ImplicitRkPlan {
  StageBlock block;
  FastMotion fast = FastMotion::damp;
  // With h >> epsilon a fast mode turns by 2 alias epsilon/h a step: s(s+1) for Gauss, s(s-1) for Lobatto IIIA; 0: the
  // method damps it.
  double alias = 0;
  bool damps = false;
  bool estimates = false;  // has an error estimate; needs a real mode
};

// Newton's start: JP95's slow point, what went before carried on, or the derivative at the start for all stages.
enum class StageGuess { slow_point, memory, start };

// One step of an implicit Runge-Kutta method on first-order systems and on mechanical ones in lifted form, with
// starting values and Newton matrix from the slow manifold (JP95 sec. 4).
class ImplicitRk : public Stepper {
 public:
  ~ImplicitRk() override;
  const MethodInfo& info() const override { return info_; }
  void start(State& s, const ErrorScale& scale) override;
  double initial_step(const State& s, const ErrorScale& scale, double h_max, Counters& work) override;
  StepResult step(State& s, const StepRequest& request) override;
  void interpolate(double theta, Out y) override;
  std::vector<Quantity> diagnostics() const override;
  void diagnose(Out values) const override;
  std::string summary() const override;
  void save(Archive& archive) const override;
  void load(Archive& archive) override;

 protected:
  ImplicitRk(const Problem& problem, MethodInfo info);
  virtual ImplicitRkPlan plan(const ErrorScale& scale) = 0;  // of a run that starts now; may bring info_ up to date
  [[noreturn]] void refuse(const std::string& why) const;
  const MechanicalProblem* mechanics() const { return mechanical_; }
  MethodInfo info_;

 private:
  bool lifted() const { return form_ && form_->rows() > 0; }
  bool has_gaps() const { return form_ && form_->gaps() > 0; }
  // Errors are measured along the slow manifold where steps do not follow the oscillation.
  bool measures_slow_error() const { return stiff_step_ && manifold_fits_ && plan_.fast != FastMotion::resolve; }
  Groups counted_groups() const { return form_ ? form_->counted_groups() : 1; }
  double slow_step_bound();  // h^2 <= alias epsilon / w_slow
  double longest_step();     // of what is meant with the oscillation
  double step_floor();
  SlowPoint::Status make_form(const State& s);

  StepStatus find_slow_start(const State& s, const StepRequest& request);
  void take_multipliers(State& s);
  bool find_first_stage(const State& s, Counters& work);
  void measure_oscillation(SlowPoint& point, In v0, In weights);
  double size_in_tolerances(In y, In weights) const;
  StepStatus solve_stages(const State& s, const StepRequest& request, NewtonStats& newton);
  StepStatus finish(const State& s, const StepRequest& request);
  bool settle(double t, const StepRequest& request, SlowPoint& point, Out q, Out v);
  bool settle_end(double t, const StepRequest& request);
  bool ends_on_manifold(const StepRequest& request) const;
  void find_smooth_start(const State& s, const StepRequest& request);
  SlowPoint::Status keep_constraints(double t, const StepRequest& request, Out q, Out v);
  bool finish_last_stage(const State& s, double h, Counters& work);
  void find_end(const State& s, double h);
  double estimate(const State& s, const StepRequest& request);
  void filter_error();
  void accept(State& s, const StepRequest& request);
  void keep_for_output(const State& s);

  StageGuess choose_guess(double h) const;
  void guess_stages(const State& s, double h);
  void guess_from_memory(double h);
  void guess_from_slow_point(const State& s, double h);
  void choose_point(double t, double h);

  StepStatus report_slow_point(SlowPoint::Status status, double t, Notes& notes);
  void report_failure(const State& s, const StepRequest& request, StepStatus status);
  void watch(double t, const StepRequest& request);
  void watch_frequencies(double t, const StepRequest& request);
  void probe_frequencies(const State& s);
  void warn_of_frequencies(double t, double shifted, const StepRequest& request);
  void watch_damping(double t, const StepRequest& request);
  double energy_share(const StepRequest& request) const;

  const Problem& problem_;
  const FirstOrderProblem* first_order_ = nullptr;
  const MechanicalProblem* mechanical_ = nullptr;
  ImplicitRkPlan plan_;
  Index n_ = 0, hard_ = 0;
  std::optional<LiftedForm> form_;
  std::unique_ptr<StageSystem> stages_;
  std::unique_ptr<SlowPoint> slow_, slow_end_;  // at the start and at the end of a step
  // Of the constraints alone, beside gaps that may go on oscillating.
  std::optional<LiftedForm> hard_form_;
  std::unique_ptr<SlowPoint> hard_point_;
  std::optional<Acceleration> mass_;
  NewtonOptions newton_options_;
  std::optional<Newton> newton_;
  Vec x_, x_weights_, y0_, y1_, k1_, l1_, error_, filtered_, lambda_rate_, across_;
  Vec nodes_, node_weights_, error_weights_, end_slopes_;
  double error_start_ = 0;  // gamma_0
  Mat guess_k_, guess_l_, last_k_, last_l_;
  Mat dense_q_, dense_v_, dense_l_;  // at nodes_
  StageGuess guess_ = StageGuess::start;
  double h_ = 0, factor_h_ = 0, rate_ = 1;
  double floor_ = 0;
  bool moving_ = false;     // hard constraints alone, of time
  double slow_rate_ = 0;    // |a'| / |a| of the slow motion
  double slow_change_ = 0;  // of a over the last step
  double solvable_ = 0;     // |h| up to which Newton's iteration may be expected to converge
  bool remembers_ = false, slow_known_ = false, smooth_ = false, stiff_step_ = false;
  bool manifold_fits_ = true;  // g = C lambda holds to the tolerance on the smooth motion
  double oscillation_q_ = 0, oscillation_v_ = 0, speed_across_ = 0;
  // Over the run.
  double damped_energy_ = 0, most_fast_energy_ = 0, most_kinetic_ = 0, most_turning_ = 0;
  double probed_change_ = 0;                // of frequencies, over a length of the system beside the start
  std::unique_ptr<SlowPoint> first_point_;  // of the run, to compare frequencies with
};
}  // namespace trill
