// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "method/implicit_rk_plan.hpp"
#include "method/slow_motion.hpp"
#include "method/smooth_inside.hpp"

#include <memory>
#include <optional>

namespace trill {
// The slow manifold of stiff gaps or hard constraints along a run: the slow points at both ends of a step, how far the
// state oscillates away from the smooth motion through them, and what follows for step sizes and the ends of steps. It
// refers to the form and the plan, which must outlive it.
class SlowTracker final : public SlowMotion {
 public:
  SlowTracker(const LiftedForm& form, const ImplicitRkPlan& plan);  // the form must have rows
  SlowPoint::Status start(const State& s);

  const SlowPoint* point() const override { return here_.get(); }
  void take_multipliers(State& s) override;
  void hard_multipliers(Out l) const override { l.tail(hard_) = here_->lambda.tail(hard_); }

  void forget() override;
  StepStatus find_start(State& s, const StepRequest& request, OscillationWatch& watch) override;
  void judge_step(double h, bool controlled) override;
  StepStatus find_end(double t, const StepRequest& request, Vec& y1) override;
  void take_outcome(const State& s, const StepRequest& request, StepStatus status) override;
  void make_tangential(Vec& error) override;
  bool rounding_shows(double h, In weights) const override;
  const SlowPoint* without_rounding(double t, In q, In v, Counters& work) override;
  void add_prescribed(double t, double h, double start, const Vec& stages, const Mat& Q, Vec& error) override;
  StepEnd accept(double t, double h, const Mat& L, const StepRequest& request, Vec& y1) override;
  void smooth_inside(double t, double h, In nodes, Mat& values) override;

  bool is_quiet(double h) const override;
  double step_bound() override;
  double longest_step() override;
  bool gives_first_slope() const override { return plan_.fast != FastMotion::resolve && !follows_; }
  double first_floor(const State& s, const ErrorScale& scale) override;

 private:
  double step_floor();
  bool judges_oscillation(const StepRequest& request) const;
  bool goes_without_point(SlowPoint::Status status) const;
  StepStatus find_point(const State& s, const StepRequest& request, OscillationWatch& watch);
  void find_rates(double direction, SlowPoint& at, SlowPoint& beside, Counters& work);
  void find_end_rates(double h, const Mat& L, const StepRequest& request);
  void find_turned_speed(In v0);
  void measure_oscillation(In v0, In weights, bool settles);
  bool is_known(SlowPoint& smooth, In weights);
  void find_smooth_start(const State& s, const StepRequest& request);
  SlowPoint::Status keep_constraints(double t, const StepRequest& request, Out q, Out v);
  bool settle(double t, const StepRequest& request, Out q, Out v);
  bool settle_end(double t, const StepRequest& request, Vec& y1);
  StepEnd follow_instead();
  bool ends_on_manifold(const StepRequest& request) const;
  void report_removal(double t, Notes& notes);
  void count_inside(Counters& work);
  StepStatus report(SlowPoint::Status status, double t, Notes& notes) const;
  void report_failure(const State& s, const StepRequest& request) const;

  const LiftedForm& form_;
  const ImplicitRkPlan& plan_;
  Index n_, hard_;
  bool has_gaps_;
  bool only_fast_;                           // gaps and constraints leave nothing that could move slowly
  bool moving_;                              // only hard constraints, and they depend on time
  std::unique_ptr<SlowPoint> here_, ahead_;  // at the start and at the end of a step
  // For the constraints alone, if there are gaps that may go on oscillating.
  std::optional<LiftedForm> hard_form_;
  std::unique_ptr<SlowPoint> hard_point_;
  std::unique_ptr<SlowPoint> stage_point_;  // for the constraints alone, at stages; made when it is needed
  Vec end_slopes_, end_curves_;             // weights of stage values in derivatives at the end of the step
  Vec lambda_rate_, lambda_curve_, across_, q_, v_, unsettled_, own_rate_, own_error_;
  std::unique_ptr<SmoothInside> inside_;  // made when values inside a step are wanted
  struct {
    bool settled = false, removed_oscillation = false;
  } end_;                    // of the last step
  bool known_ = false;       // here_ belongs to the current state
  bool reached_ = true;      // a slow point was found at the end of the step
  bool smooth_ = false;      // the state oscillates by less than the tolerance
  double turned_speed_ = 0;  // share of the speed that open gaps at the start have because they turn
  double slow_change_ = 0;   // change of a over the last step
};
}  // namespace trill
