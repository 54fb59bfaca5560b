// SPDX-License-Identifier: BSD-3-Clause
// Implicit midpoint rule, the Gauss method with one stage: JP95 sec. 2, PJY97 sec. 2.
// Mechanical systems are solved for the midpoint velocity alone, so the Newton matrix has the size of q.
#include "method/constrained_diagonal.hpp"
#include "method/diagonal_stage.hpp"
#include "method/exchange_limit.hpp"
#include "method/prospects.hpp"
#include "trill/linalg/kernels.hpp"
#include "trill/method/hermite.hpp"
#include "trill/method/registry.hpp"

namespace trill {
class ImplicitMidpoint final : public Stepper {
 public:
  struct Options {
    bool by_krylov = false;
    ConstraintForm formulation = ConstraintForm::index2;
    void fields(OptionVisitor& v) {
      v.choice("linear", by_krylov, {{"factorise", false}, {"krylov", true}},
               "how Newton corrections are computed: with a factorised matrix, or without a matrix by GMRES");
      v.choice("formulation", formulation, constraint_form_choices(true),
               "how constraints are solved together with a step; 'trill list formulations' explains the names");
    }
  };
  static std::vector<OptionSet> variants() { return {{}, {{"linear", "krylov"}}}; }
  static Prospect advise(const ProblemFacts& facts, const Question& question) {
    return equal_steps_prospect(facts, question,
                                {.order = 2,
                                 .error_constant = 1.0 / 12,
                                 .forces = 2.5,
                                 .factorisations = 0.2,
                                 .overhead = 4e-7,
                                 .overhead_of_unknown = 2e-8});
  }
  static LinearForm linear_form(const Options&) { return runge_kutta_form(extended_tableau(ImplicitFamily::gauss, 1)); }
  static MethodInfo describe(const Options& options) {
    return {.name = "implicit_midpoint",
            .title = "Implicit midpoint rule",
            .reference = "JP95 sec. 2; PJY97 sec. 2",
            .accepts = {.first_order = true, .mechanical = true, .constrained = !options.by_krylov},
            .order = 2,
            .order_lambda = 2,
            .dense_order = 2,
            .implicit_step = true,
            .symmetric = true,
            .symplectic = true,
            .p_stable = true,
            .constant_step = true};
  }

  static std::unique_ptr<Stepper> constrained(const Problem& problem, const Options& options) {
    if (options.by_krylov)
      throw UsageError("implicit_midpoint needs linear=factorise to solve the constraints of '" + problem.name() + "'");
    const Vec half = Vec::Constant(1, 0.5);
    return std::make_unique<ConstrainedDiagonal>(
        problem, describe(options), DiagonalTableau{Mat(half), Vec::Ones(1), half, {}, false}, options.formulation);
  }

  ImplicitMidpoint(const Problem& problem, const Options& options)
      : info_(describe(options)),
        options_(options),
        mechanics_(dynamic_cast<const MechanicalProblem*>(&problem)),
        nv_(mechanics_ ? problem.layout().nv : 0),
        system_(make_diagonal_stage(problem, "implicit_midpoint", options.by_krylov)),
        newton_(system_->size(), {.tolerance = 0.1, .max_iterations = 12, .jacobian_every = 0}) {
    // A sparse factorisation depends on earlier matrices and is not saved: it starts anew at every checkpoint.
    info_.saves_memory = !system_->has_sparse_factors();
  }
  const MethodInfo& info() const override { return info_; }

  void start(State& s, const ErrorScale&) override {
    y0_ = y1_ = s.y;
    x_ = weights_ = Vec::Zero(system_->size());
    system_->begin(s.t, 0, s.y);
    system_->prepared = {false, 0, 0, s.y, x_};
    if (mechanics_) exchange_.start(*mechanics_, s);
  }

  StepResult step(State& s, const StepRequest& request) override {
    const double h = request.h;
    if ((request.jumped || request.restart) && system_->has_sparse_factors()) system_->forget();
    system_->begin(s.t + 0.5 * h, 0.5 * h, s.y);
    system_->guess(s.y, x_);
    system_->newton_weights(request.weights, weights_);
    // A Jacobian made from differences of residuals is valid for one step only; a factorised matrix can be used again.
    const bool reuse = !request.jumped && !request.restart && system_->prepared_for(0.5 * h);
    StepResult result{.h_taken = h};
    result.newton = solve_diagonal_stage(newton_, *system_, x_, weights_, reuse, request.work);
    result.status = status_of(result.newton);
    if (result.status != StepStatus::ok) return result;
    y0_ = s.y;
    finish(h);
    if (!all_finite(y1_)) return {.status = StepStatus::non_finite};
    h_ = h;
    exchange_.took(h);
    s.y = y1_;
    s.t += h;
    return result;
  }

  void interpolate(double theta, Out y) override {
    // Linear except for positions: if a step spans oscillations, the slopes at its ends say nothing about its inside.
    y = (1 - theta) * y0_ + theta * y1_;
    if (nv_ > 0) hermite(theta, h_, y0_.head(nv_), y0_.tail(nv_), y1_.head(nv_), y1_.tail(nv_), y.head(nv_));
  }

  void memory(Archive& archive) override { archive(*system_); }
  void conclude(double t, Notes& notes) const override { exchange_.conclude(t, notes); }
  std::unique_ptr<Stepper> clone(const Problem& problem) const override {
    return std::make_unique<ImplicitMidpoint>(problem, options_);
  }

 private:
  void finish(double h) {
    y1_.tail(x_.size()) = 2 * x_ - y0_.tail(x_.size());
    if (nv_ > 0) y1_.head(nv_) = y0_.head(nv_) + h * x_;
  }

  MethodInfo info_;
  Options options_;
  const MechanicalProblem* mechanics_;  // null: a system of first order
  ExchangeLimit exchange_;
  Index nv_;
  std::unique_ptr<DiagonalStage> system_;
  Newton newton_;
  Vec y0_, y1_, x_, weights_;
  double h_ = 0;
};

void register_method_implicit_midpoint(Catalogue& catalogue) {
  add_method_with_constraints<ImplicitMidpoint>(catalogue);
}
}  // namespace trill
