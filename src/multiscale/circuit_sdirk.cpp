// SPDX-License-Identifier: BSD-3-Clause
// The steps of cycles as an ordinary method for circuits: singly diagonally implicit, order 3 (R. Alexander, SIAM J.
// Numer. Anal. 14, 1977), with Newton's method stage by stage, so that a diode may turn within a step.
#include "method/charge_steps.hpp"
#include "method/stage_values.hpp"
#include "multiscale/charge_coordinates.hpp"
#include "multiscale/charge_step.hpp"
#include "problem/consistent_charges.hpp"
#include "trill/linalg/kernels.hpp"
#include "trill/method/hermite.hpp"
#include "trill/method/registry.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

namespace trill {
class CircuitSdirk final : public Stepper, public HasStageValues {
 public:
  struct Options {
    void fields(OptionVisitor&) {}
  };
  static MethodInfo describe(const Options&) {
    return {.name = "circuit_sdirk",
            .title = "Diagonally implicit Runge-Kutta method for circuits, in charges",
            .reference = "Alexander 1977",
            .accepts = {.circuit = true},
            .order = 3,
            .error_order = 2,
            .dense_order = 3,
            .implicit_step = true,
            .saves_memory = false};
  }
  static LinearForm linear_form(const Options&) {
    const SdirkTableau t = make_sdirk_tableau(ChargeStep::stages, most_accurate_gamma(ChargeStep::stages));
    return runge_kutta_form(ImplicitTableau{t.c, t.a.row(t.stages - 1), t.a, t.order, 1});
  }

  CircuitSdirk(const Problem& problem, const Options& options)
      : info_(describe(options)), p_(problem.as<CircuitProblem>("circuit_sdirk")) {}
  const MethodInfo& info() const override { return info_; }

  void start(State& s, const ErrorScale& scale) override {
    const Index n = s.y.size();
    const ChargeCoordinates coordinates(p_, s.t, s.y);
    ChargeTolerances tolerances{scale.rtol, scale.atol, coordinates.capacity(), newton_share, true};
    tolerances.charge.array() *= scale.atol.array();
    shorter_.emplace(p_, tolerances, inner_counts_);
    step_.emplace(p_, std::move(tolerances), counts_);
    consistent_.emplace(p_, s.t, s.y);
    charges_ = start_charges_ = y0_ = y1_ = slope0_ = slope1_ = middle_ = Vec::Zero(n);
    rtol_ = scale.rtol;
    atol_ = scale.atol;
    period_ = p_.clock_period().value_or(no_period);
    longest_ = longest_charge_step(p_, ChargeStep::stages);
    controlled_ = scale.controlled;
    begin(s);
  }

  StepResult step(State& s, const StepRequest& request) override {
    if (request.restart) begin(s);
    if (request.jumped) {
      p_.charge(s.y, charges_);
      step_->forget_past();
      step_->forget_factors();
      knows_slope_ = false;
    }
    const CycleCounts before = counts_;
    StepResult result{.h_taken = request.h, .h_next_max = longest_};
    const bool solved = step_->attempt(s.t, request.h, charges_, s.y);
    result.newton.converged = solved;
    result.newton.iterations = static_cast<int>(counts_.iterations - before.iterations);
    result.newton.factorisations = static_cast<int>(counts_.factorisations - before.factorisations);
    for (long k = before.iterations; k < counts_.iterations; ++k) request.work.count_forces(1);
    request.work.newton_iterations += counts_.iterations - before.iterations;
    request.work.jacobians += counts_.factorisations - before.factorisations;
    if (!solved) {
      step_->forget_past();
      result.status = StepStatus::newton_diverged;
      return result;
    }
    if (controlled_) result.error = step_->error();
    if (controlled_ && !(result.error <= request.most_error)) return result;
    step_->accept();
    y0_ = s.y;
    if (has_stepped_) slope0_ = slope1_;
    knows_start_slope_ = has_stepped_ && knows_slope_ && !request.jumped;
    knows_slope_ = false;
    has_stepped_ = true;
    t0_ = s.t;
    h_ = request.h;
    start_charges_ = charges_;
    charges_ = step_->end_charges();
    s.y = y1_ = step_->end();
    extent_ = extent_.cwiseMax(y1_.cwiseAbs());
    looked_inside_ = false;
    s.t += request.h;
    return result;
  }

  // A cubic of values and slopes at both ends, if it agrees in the middle with a step that ends there. It does not
  // where a diode turns within the step, and where slopes of stiff unknowns are the rounding of their values times a
  // large number. There values are the ends of shorter steps, as accurate as those of all steps.
  void interpolate(double theta, Out y) override {
    if (theta == 0 || theta == 1 || h_ == 0) {
      y = theta == 0 ? y0_ : y1_;
      return;
    }
    if (!looked_inside_) look_inside();
    if (is_smooth_)
      hermite(theta, h_, y0_, slope0_, y1_, slope1_, y);
    else if (step_to(theta))
      y = shorter_->end();
    else
      y = (1 - theta) * y0_ + theta * y1_;
  }

  Index inner_stages() const override { return ChargeStep::stages - 1; }
  double stage_place(Index stage) const override { return step_->node(static_cast<int>(stage)); }
  void stage_value(Index stage, Out y) const override { y = step_->values().col(stage); }

  void conclude(double t, Notes& notes) const override {
    if (counts_.rounded > 0)
      notes.raise_with(
          t, "rounding", [&] { return rounded_text(counts_.rounded); }, Severity::info,
          static_cast<double>(counts_.rounded), 0);
  }
  void memory(Archive&) override {}  // it starts anew at every checkpoint
  std::unique_ptr<Stepper> clone(const Problem& problem) const override {
    return std::make_unique<CircuitSdirk>(problem, Options{});
  }

 private:
  static constexpr double no_period = 1e30, newton_share = 0.02;
  static constexpr double smooth = 10;  // tolerances between the cubic and a step that ends in the middle

  // Slopes are looked for only where somebody asks for values inside a step.
  void look_inside() {
    looked_inside_ = true;
    is_smooth_ = false;
    shorter_->begin_cycle(start_charges_, y0_, period_);
    const double short_time = 1e-6 * h_;
    if (!knows_start_slope_) knows_start_slope_ = consistent_->slope(t0_, short_time, y0_, slope0_);
    if (!knows_slope_) knows_slope_ = consistent_->slope(t0_ + h_, -short_time, y1_, slope1_);
    if (!knows_start_slope_ || !knows_slope_ || !step_to(0.5)) return;
    hermite(0.5, h_, y0_, slope0_, y1_, slope1_, middle_);
    middle_ -= shorter_->end();
    is_smooth_ = (middle_.array().abs() <= smooth * (atol_.array() + rtol_ * extent_.array())).all();
  }

  bool step_to(double theta) { return shorter_->attempt(t0_, theta * h_, start_charges_, y0_); }

  void begin(const State& s) {
    p_.charge(s.y, charges_);
    step_->begin_cycle(charges_, s.y, period_);
    extent_ = s.y.cwiseAbs();
    has_stepped_ = knows_slope_ = knows_start_slope_ = false;
  }

  MethodInfo info_;
  const CircuitProblem& p_;
  CycleCounts counts_, inner_counts_;
  std::optional<ChargeStep> step_, shorter_;  // shorter: to times inside the last step
  std::optional<ConsistentCharges> consistent_;
  Vec charges_, start_charges_, y0_, y1_, slope0_, slope1_, middle_, extent_, atol_;
  double t0_ = 0, h_ = 0, period_ = 0, longest_ = HUGE_VAL, rtol_ = 0;
  bool controlled_ = true, has_stepped_ = false, knows_slope_ = false, knows_start_slope_ = false;
  bool looked_inside_ = false, is_smooth_ = false;
};
}  // namespace trill
TRILL_METHOD(circuit_sdirk, CircuitSdirk)
