// SPDX-License-Identifier: BSD-3-Clause
// L-stable singly diagonally implicit Runge-Kutta methods with adjustable damping: PJY97 sec. 2 on damping methods.
#include "method/constrained_diagonal.hpp"
#include "method/diagonal_stage.hpp"
#include "method/initial_step.hpp"
#include "method/prospects.hpp"
#include "method/sdirk_tableau.hpp"
#include "trill/formulation/first_order.hpp"
#include "trill/linalg/kernels.hpp"
#include "trill/method/hermite.hpp"
#include "trill/method/registry.hpp"

#include <fmt/format.h>

namespace trill {
class Sdirk final : public Stepper {
 public:
  struct Options {
    int stages = 3;
    double gamma = 0;
    ConstraintForm formulation = ConstraintForm::index2;
    void fields(OptionVisitor& v) {
      v.integer("stages", stages, Range::between(2, 4), "number of stages; the order is one less");
      v.number("gamma", gamma, Range::at_least(0),
               "parameter that sets the damping of fast modes; 0: the value for which the order is highest");
      v.choice("formulation", formulation, constraint_form_choices(true),
               "how constraints are solved together with a step; 'trill list formulations' explains the names");
    }
  };
  static std::vector<OptionSet> variants() {
    return {{},
            {{"gamma", "0.25"}},
            {{"stages", "2"}},
            {{"stages", "4"}},
            {{"stages", "4"}, {"gamma", "0.35"}},
            {{"formulation", "cs"}}};
  }
  static Prospect advise(const ProblemFacts& facts, const Question& question) {
    return implicit_prospect(facts, question,
                             {.order = 2.5,
                              .steps = 4,
                              .forces = 7,
                              .factorisations = 0.3,
                              .error = 40,
                              .overhead = 1e-6,
                              .overhead_of_unknown = 1e-7,
                              .loosest = 1e-2});
  }
  static LinearForm linear_form(const Options& options) {
    const SdirkTableau t = tableau_of(options);
    return runge_kutta_form(ImplicitTableau{t.c, t.a.row(t.stages - 1), t.a, t.order, 1});
  }
  static MethodInfo describe(const Options& options) {
    const SdirkTableau t = tableau_of(options);
    return {.name = "sdirk",
            .title = "SDIRK: L-stable diagonally implicit Runge-Kutta method with adjustable damping",
            .reference = "PJY97 sec. 2",
            .accepts = {.first_order = true, .mechanical = true, .constrained = true},
            .order = t.order,
            .order_lambda = t.order,
            .error_order = t.stages - 1,
            .dense_order = t.order,
            .implicit_step = true};
  }

  static std::unique_ptr<Stepper> constrained(const Problem& problem, const Options& options) {
    const SdirkTableau t = make_constrained_sdirk_tableau(options.stages, gamma_of(options));
    return std::make_unique<ConstrainedDiagonal>(
        problem, describe(options), DiagonalTableau{t.a, t.a.row(t.stages - 1), t.c, t.error, true, t.start},
        options.formulation);
  }

  Sdirk(const Problem& problem, const Options& options)
      : info_(describe(options)),
        options_(options),
        tableau_(tableau_of(options)),
        system_(make_diagonal_stage(problem, "sdirk", false)),
        form_(problem, "sdirk"),
        newton_(system_->size(), {.tolerance = 0.02, .max_iterations = 10, .jacobian_every = 0}) {
    // A sparse factorisation depends on earlier matrices and is not saved: it starts anew at every checkpoint.
    info_.saves_memory = !system_->has_sparse_factors();
  }
  const MethodInfo& info() const override { return info_; }

  void start(State& s, const ErrorScale&) override {
    const Index n = form_.size();
    form_.start(s);
    k_ = Mat::Zero(n, tableau_.stages + 1);
    y0_ = y1_ = base_ = error_ = s.y;
    x_ = weights_ = Vec::Zero(system_->size());
    system_->begin(s.t, 0, s.y);
    system_->prepared = {false, 0, 0, s.y, x_};
    form_.rhs(s.t, s.y, k_.col(0));
    last_is_first_ = false;
  }

  double initial_step(const State& s, const ErrorScale& scale, double h_max, Counters& work) override {
    const auto rhs = [&](double t, In y, Out dy) {
      work.count_forces(form_.counted_groups());
      return form_.rhs(t, y, dy);
    };
    return initial_step_hairer(rhs, s.t, s.y, k_.col(0), scale, tableau_.stages, h_max, base_, error_);
  }

  StepResult step(State& s, const StepRequest& request) override {
    const double h = request.h;
    if ((request.jumped || request.restart) && system_->has_sparse_factors()) system_->forget();
    if (request.jumped) {
      request.work.count_forces(form_.counted_groups());
      if (!form_.rhs(s.t, s.y, k_.col(0))) return {.status = StepStatus::outside_domain};
    } else if (last_is_first_) {
      // A rejected step needs its first slope again, so the last one is moved only now.
      k_.col(0) = k_.col(tableau_.stages);
    }
    last_is_first_ = false;
    y0_ = y1_ = s.y;
    StepResult result{.h_taken = h};
    bool reuse = !request.jumped && !request.restart;
    for (int i = 0; i < tableau_.stages; ++i) {
      result.status = solve(i, s.t, request, reuse, result.newton);
      if (result.status != StepStatus::ok) return result;
      reuse = true;
    }
    if (!all_finite(y1_) || !all_finite(k_.data(), k_.size())) return {.status = StepStatus::non_finite};
    result.error = estimate(h, request.scale);
    if (!(result.error <= request.most_error)) return result;
    last_is_first_ = true;
    h_ = h;
    s.y = y1_;
    s.t += h;
    return result;
  }

  void interpolate(double theta, Out y) override {
    hermite(theta, h_, y0_, k_.col(0), y1_, k_.col(tableau_.stages), y);
  }

  void memory(Archive& archive) override { archive(k_, last_is_first_, *system_); }
  std::unique_ptr<Stepper> clone(const Problem& problem) const override {
    return std::make_unique<Sdirk>(problem, options_);
  }

 private:
  static double gamma_of(const Options& options) {
    const double gamma = options.gamma > 0 ? options.gamma : most_accurate_gamma(options.stages);
    const GammaRange range = l_stable_gammas(options.stages);
    if (gamma < range.min - 1e-9 || gamma > range.max + 1e-9)
      throw UsageError(
          fmt::format("sdirk with {} stages is L-stable only for gamma from {:.7f} to {:.7f}; the given gamma is {}",
                      options.stages, range.min, range.max, gamma));
    return gamma;
  }
  static SdirkTableau tableau_of(const Options& options) {
    return make_sdirk_tableau(options.stages, gamma_of(options));
  }

  // Stage i leaves its state in y1_ and its slope in column i + 1; the last stage is the end of the step.
  StepStatus solve(int i, double t, const StepRequest& request, bool reuse, NewtonStats& total) {
    const double h = request.h, delta = h * tableau_.gamma;
    base_ = y0_;
    for (int j = 0; j < i; ++j) add_scaled(base_.data(), h * tableau_.a(i, j), k_.col(j + 1).data(), base_.size());
    system_->begin(t + tableau_.c[i] * h, delta, base_);
    system_->guess(y1_, x_);
    system_->newton_weights(request.weights, weights_);
    const NewtonStats stats =
        solve_diagonal_stage(newton_, *system_, x_, weights_, reuse && system_->prepared_for(delta), request.work);
    const int iterations = total.iterations + stats.iterations,
              factorisations = total.factorisations + stats.factorisations;
    total = stats;
    total.iterations = iterations;
    total.factorisations = factorisations;
    if (stats.converged) {
      system_->stage(x_, y1_);
      system_->slope(x_, k_.col(i + 1));
    }
    return status_of(stats);
  }

  // Damped by (I - h gamma J)^-1: in stiff components the undamped difference grows with h times their rate.
  double estimate(double h, const ErrorScale& scale) {
    base_.setZero();
    for (int i = 0; i <= tableau_.stages; ++i)
      add_scaled(base_.data(), h * tableau_.error[i], k_.col(i).data(), base_.size());
    system_->damp(base_, error_);
    return scale.norm(error_, y0_, y1_);
  }

  MethodInfo info_;
  Options options_;
  SdirkTableau tableau_;
  std::unique_ptr<DiagonalStage> system_;
  FirstOrderForm form_;
  Newton newton_;
  Mat k_;  // slopes at the start of the step and at the stages
  Vec y0_, y1_, base_, error_, x_, weights_;
  double h_ = 0;
  bool last_is_first_ = false;
};

void register_method_sdirk(Catalogue& catalogue) { add_method_with_constraints<Sdirk>(catalogue); }
}  // namespace trill
