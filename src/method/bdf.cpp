// SPDX-License-Identifier: BSD-3-Clause
// Backward differentiation of order 1 and 2 with variable steps, for mechanical systems with or without constraints:
// PJY97 eq. 3.4 to 3.6.
#include "formulation/constraint_formulation.hpp"
#include "formulation/dropped_oscillation.hpp"
#include "formulation/reaction_form.hpp"
#include "method/energy_balance.hpp"
#include "method/initial_step.hpp"
#include "method/motion_output.hpp"
#include "method/prospects.hpp"
#include "trill/linalg/kernels.hpp"
#include "trill/method/registry.hpp"

#include <cmath>

namespace trill {
namespace {
// Tolerances of Newton's iteration, as multiples of the run's tolerance, which is 1e-10 with fixed steps.
constexpr double lifted_bdf_tolerance = 0.02, plain_bdf_tolerance = 1e-3;
constexpr double max_bdf_growth = 2;  // largest ratio of successive steps; BDF2 is stable up to 1 + sqrt(2)
}  // namespace

class Bdf final : public Stepper {
 public:
  struct Options {
    int order = 2;
    ConstraintForm formulation = ConstraintForm::index2;
    bool tests_positions_alone = false;
    bool starts_slow = false;
    void fields(OptionVisitor& v) {
      v.integer("order", order, Range::between(1, 2),
                "order of the formula; 1: implicit Euler; 2: the two-step formula, whose first step has order 1");
      v.choice("formulation", formulation, constraint_form_choices(),
               "how constraints are solved together with a step; 'trill list formulations' explains the names");
      v.choice("error_test", tests_positions_alone, {{"scaled_velocities", false}, {"positions", true}},
               "what the error test looks at: positions and velocities times h, or positions alone, so that steps may "
               "be longer than fast oscillations and damp them");
      v.choice("start", starts_slow, {{"given", false}, {"slow", true}},
               "start as the model gives it, or moved onto the slow manifold, where stiff gaps do not oscillate");
    }
  };
  static std::vector<OptionSet> variants() {
    return {{},
            {{"order", "1"}},
            {{"formulation", "cs"}, {"error_test", "positions"}},
            {{"formulation", "cm"}},
            {{"formulation", "ggl"}},
            {{"formulation", "index3"}}};
  }
  static Prospect advise(const ProblemFacts&, const Question&) {
    return only_by_name("radau takes less work for the same accuracy; name it to compare with multibody codes");
  }
  static MethodInfo describe(const Options& options) {
    return {.name = "bdf",
            .title = "BDF: backward differentiation formulas of order 1 or 2 for mechanisms with constraints",
            .reference = "PJY97 eq. 3.4 to 3.6; Gear, Gupta, Leimkuhler 1985",
            .accepts = {.mechanical = true, .constrained = true},
            .order = options.order,
            .order_lambda = options.order,
            .error_order = options.order,
            .dense_order = options.order,
            .implicit_step = true,
            .multistep = true,
            .keeps_matrix = true};
  }

  Bdf(const Problem& problem, const Options& options)
      : info_(describe(options)),
        options_(options),
        p_(mechanics_with_reactions(problem, "bdf")),
        stage_(p_, keeping_reactions({.form = options.formulation, .lift_gaps = true}, p_, "bdf")),
        balance_(p_),
        oscillation_(p_, options.starts_slow) {
    // A sparse factorisation depends on earlier matrices and is not saved: it starts anew at every checkpoint.
    info_.saves_memory = !stage_.has_sparse_factors();
  }
  const MethodInfo& info() const override { return info_; }

  void start(State& s, const ErrorScale& scale) override {
    n_ = s.layout.nq;
    oscillation_.start(s);
    stage_.set_tolerance(scale.controlled && stage_.gaps() > 0 ? lifted_bdf_tolerance : plain_bdf_tolerance);
    for (Vec* x : {&past1_, &past2_, &slope_, &guess_}) *x = Vec::Zero(2 * n_);
    for (Vec* x : {&first_, &second_}) *x = Vec::Zero(2 * n_);
    acceleration_ = q_guess_ = Vec::Zero(n_);
    trial_ = y0_ = y1_ = s.y;
    error_ = Vec::Zero(s.y.size());
    stage_.start(s.t, s.q());
    Counters uncounted;
    begin_anew(s, uncounted);
    balance_.start(s);
  }

  // h^2/2 q'' is a tenth of the tolerance, now and with the forces of a little later; without acceleration h v is.
  double initial_step(const State& s, const ErrorScale& scale, double h_max, Counters& work) override {
    const auto size_of = [&](In x) {
      error_.setZero();
      error_.head(n_) = x;
      return scale.norm(error_, s.y, s.y);
    };
    const double bend = size_of(slope_.tail(n_)), speed = size_of(s.v()), limit = std::abs(h_max);
    const double h = bend > 0 ? std::sqrt(0.2 / bend) : speed > 0 ? 0.1 / speed : limit;
    const auto change_to = [&](double t) {
      stage_.stand_at(t, s.q());
      stage_.accelerate(s.q(), s.v(), q_guess_, trial_.tail(stage_.constraints()), work);
      return 0.5 * (t - s.t) * (t - s.t) * size_of(q_guess_ - slope_.tail(n_));
    };
    const double bounded = shortened_by_later_forces(change_to, s.t, std::min(h, limit), 3, h_max < 0 ? -1 : 1);
    stage_.stand_at(s.t, s.q());
    return bounded;
  }

  StepResult step(State& s, const StepRequest& request) override {
    const double h = request.h;
    if ((request.jumped || request.restart) && stage_.has_sparse_factors()) stage_.forget();
    oscillation_.warn(s.t, request.notes);
    if (request.jumped) {
      if (!stage_.project(s.t, s.q(), s.v())) return {.status = StepStatus::singular_matrix};
      begin_anew(s, request.work);
      balance_.restart(s);
    }
    extrapolate(s, h);
    set_equation(s, h);
    StepResult result{.h_taken = h};
    result.newton = solve(s, request);
    result.status = status_of(result.newton);
    if (result.status != StepStatus::ok) return result;
    find_multipliers();
    if (!all_finite(trial_)) return {.status = StepStatus::non_finite};
    result.error = estimate(s, h, request.scale);
    result.h_next_max = max_bdf_growth * std::abs(h);
    if (!(result.error <= request.most_error)) return result;
    accept(s, h);
    stage_.watch_dependence(s.t, request.notes);
    request.work.count_forces(
        oscillation_.look(s, h, request.scale.controlled ? request.scale.rtol : 0, request.notes));
    return result;
  }

  // Cubic interpolation of positions and velocities, moved onto the constraints.
  void interpolate(double theta, Out y) override { interpolate_motion(stage_, {t1_, h1_, y0_, y1_}, theta, y); }

  std::vector<Quantity> diagnostics() const override { return balance_.diagnostics(); }
  void diagnose(Out values) const override { balance_.diagnose(values); }
  std::string summary() const override { return balance_.summary(); }
  void conclude(double t, Notes& notes) const override { balance_.conclude(t, notes); }

  void memory(Archive& archive) override {
    archive(past1_, past2_, slope_, h1_, h2_, steps_, balance_, stage_, oscillation_);
  }
  std::unique_ptr<Stepper> clone(const Problem& problem) const override {
    return std::make_unique<Bdf>(problem, options_);
  }

 private:
  // Nothing is known about the motion before s, so the history holds only the slope at s.
  void begin_anew(State& s, Counters& work) {
    stage_.stand_at(s.t, s.q());
    stage_.accelerate(s.q(), s.v(), acceleration_, s.lambda(), work);
    slope_ << s.v(), acceleration_;
    steps_ = 0;
    h1_ = h2_ = 0;
  }

  bool has_two_steps() const { return options_.order == 2 && steps_ > 0; }

  // The polynomial through the last states, of the same degree as the formula. While there are too few states, the
  // oldest one is used twice, the second time with its slope. Newton's divided differences.
  void extrapolate(const State& s, double h) {
    const auto y = s.y.head(2 * n_);
    if (steps_ == 0)
      first_ = slope_;
    else
      first_ = (y - past1_) / h1_;
    guess_ = y + h * first_;
    if (!has_two_steps()) return;
    if (steps_ == 1)
      second_ = (first_ - slope_) / h1_;
    else
      second_ = (first_ - (past1_ - past2_) / h2_) / (h1_ + h2_);
    guess_ += h * (h + h1_) * second_;
  }

  // (1 + 2w) y1 = (1 + w)^2 y - w^2 y_-1 + (1 + w) h y1',  w = h/h1; in the first step y1 = y + h y1'.
  void set_equation(const State& s, double h) {
    StageEquation& e = stage_.equation;
    const double w = has_two_steps() ? h / h1_ : 0, all = 1 + 2 * w;
    e.t = s.t + h;
    e.kinematic = e.dynamic = (1 + w) / all * h;
    e.q_base = ((1 + w) * (1 + w) / all) * s.q() - (w * w / all) * past1_.head(n_);
    e.v_base = ((1 + w) * (1 + w) / all) * s.v() - (w * w / all) * past1_.tail(n_);
  }

  // Newton starts from the extrapolation and, if that fails, from the last positions.
  NewtonStats solve(const State& s, const StepRequest& request) {
    trial_ = s.y;
    q_guess_ = guess_.head(n_);
    if (steps_ == 0) q_guess_ += 0.5 * request.h * request.h * slope_.tail(n_);
    return stage_.solve_from(q_guess_, trial_, request.weights, !request.jumped && !request.restart, request.work);
  }

  // Multipliers from the constraints on accelerations. With index3 the velocities are not on the constraints, and its
  // own multipliers are as good.
  void find_multipliers() {
    const Index m = stage_.constraints();
    if (m == 0 || options_.formulation == ConstraintForm::index3) return;
    const StageEquation& e = stage_.equation;
    acceleration_ = (trial_.segment(n_, n_) - e.v_base) / e.dynamic;
    stage_.close_acceleration(trial_.segment(n_, n_), acceleration_, trial_.segment(2 * n_, m));
  }

  // The local error h^2/2 y'' or (1 + w)^2 / (6 w (1 + 2w)) h^3 y''' has the opposite sign to that of the
  // extrapolation, and the difference of the two results is known. Milne's device: Hairer, Norsett, Wanner, Solving
  // ODEs I, sec. III.7.
  double estimate(const State& s, double h, const ErrorScale& scale) {
    double share = h / (h + h1_);
    if (has_two_steps()) share *= (h + h1_) * (h + h1_) / ((h1_ + 2 * h) * (h + h1_ + h2_));
    error_.head(2 * n_) = share / (1 + share) * (trial_.head(2 * n_) - guess_);
    if (options_.tests_positions_alone)
      error_.segment(n_, n_).setZero();
    else
      error_.segment(n_, n_) *= std::abs(h);
    return scale.norm(error_, s.y, trial_);
  }

  void accept(State& s, double h) {
    past2_ = past1_;
    past1_ = s.y.head(2 * n_);
    h2_ = h1_;
    h1_ = h;
    steps_ = std::min(steps_ + 1, 2);
    y0_ = s.y;
    s.y = y1_ = trial_;
    s.t += h;
    t1_ = s.t;
    balance_.advance(s, h);
  }

  MethodInfo info_;
  Options options_;
  const MechanicalProblem& p_;
  ConstrainedStage stage_;
  EnergyBalance balance_;
  OscillationAtStart oscillation_;
  Index n_ = 0;
  // (q, v) one step and two steps back, and its derivative where the motion began.
  Vec past1_, past2_, slope_;
  Vec first_, second_, guess_, q_guess_, acceleration_, trial_, y0_, y1_, error_;
  double h1_ = 0, h2_ = 0, t1_ = 0;
  int steps_ = 0;  // steps since the motion began, counted up to 2
};
}  // namespace trill
TRILL_METHOD(bdf, Bdf)
