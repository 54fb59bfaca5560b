// SPDX-License-Identifier: BSD-3-Clause
// The P-stable family around Numerov's method: PJY97 sec. 2 (Hairer 1979; M. M. Chawla, BIT 21 (1981) 190-193).
#include "method/numerov_system.hpp"
#include "method/oscillator_form.hpp"
#include "method/prospects.hpp"
#include "trill/linalg/kernels.hpp"
#include "trill/method/hermite.hpp"
#include "trill/method/registry.hpp"

namespace trill {
class Numerov final : public Stepper {
 public:
  struct Options {
    double alpha = 0.01;
    void fields(OptionVisitor& v) {
      v.number("alpha", alpha, Range::at_least(0),
               "parameter of the family: P-stable from 1/120 on; 1/200 gives dispersion order 6, 0 Numerov's method");
    }
  };
  static std::vector<OptionSet> variants() { return {{}, {{"alpha", "0"}}, {{"alpha", "0.005"}}}; }
  // 4 sin^2(theta/2) = x/(1 + x/12 + 5/6 alpha x^2)
  static Prospect advise(const ProblemFacts&, const Question&) {
    return only_by_name("name it, with a step size h, to stay bounded at steps longer than the fast periods");
  }
  static LinearForm linear_form(const Options& options) {
    const double alpha = options.alpha;
    return two_step_form({2, -5.0 / 6, 5.0 / 3 * alpha}, {1, 1.0 / 12, 5.0 / 6 * alpha});
  }
  static MethodInfo describe(const Options& options) {
    return {.name = "numerov",
            .title = "P-stable family of Numerov's method",
            .reference = "PJY97 sec. 2; Hairer 1979; Chawla 1981",
            .accepts = {.mechanical = true},
            .order = 4,
            .dense_order = 4,
            .implicit_step = true,
            .symmetric = true,
            .p_stable = options.alpha >= 1.0 / 120,
            .area_preserving = true,
            .constant_step = true};
  }

  Numerov(const Problem& problem, const Options& options)
      : info_(describe(options)),
        options_(options),
        p_(oscillator_form(problem, "numerov", "implicit_midpoint or sdirk")),
        n_(p_.layout().nq),
        accelerate_(p_),
        formula_(accelerate_, options.alpha, n_),
        matrix_(p_, options.alpha),
        ahead_(formula_, matrix_, n_),
        start_(formula_, matrix_, n_),
        newton_(n_, newton_options()),
        start_newton_(2 * n_, newton_options()) {
    // A sparse factorisation depends on earlier matrices and is not saved: it starts anew at every checkpoint.
    info_.saves_memory = !matrix_.is_sparse();
  }
  const MethodInfo& info() const override { return info_; }

  void start(State& s, const ErrorScale&) override {
    y0_ = y1_ = s.y;
    g0_ = increment_ = x_ = weights_ = Vec::Zero(n_);
    pair_ = pair_weights_ = Vec::Zero(2 * n_);
    now_.q = now_.g = next_.q = next_.g = Vec::Zero(n_);
    accelerate_.start(s.q());
    ahead_.allocate();
    start_.allocate();
    matrix_.valid = false;
    h_ = 0;
  }

  StepResult step(State& s, const StepRequest& request) override {
    const int evaluations = formula_.evaluations, preparations = ahead_.preparations + start_.preparations;
    StepResult result = advance(s, request);
    for (int i = evaluations; i < formula_.evaluations; ++i) request.work.count_forces(accelerate_.counted_groups());
    request.work.jacobians += ahead_.preparations + start_.preparations - preparations;
    return result;
  }

  void interpolate(double theta, Out y) override {
    hermite(theta, h_, y0_.head(n_), y0_.tail(n_), y1_.head(n_), y1_.tail(n_), y.head(n_));
    hermite(theta, h_, y0_.tail(n_), g0_, y1_.tail(n_), now_.g, y.tail(n_));
  }

  void memory(Archive& archive) override {
    double t = matrix_.t, h = matrix_.h;
    Vec q = matrix_.q;
    archive(h_, now_.g, next_.q, next_.g, increment_, matrix_.valid, t, h, q);
    if (archive.reading() && matrix_.valid) matrix_.prepare(t, q, h, false);
  }
  std::unique_ptr<Stepper> clone(const Problem& problem) const override {
    return std::make_unique<Numerov>(problem, options_);
  }

 private:
  static NewtonOptions newton_options() { return {.tolerance = 0.01, .max_iterations = 12, .jacobian_every = 0}; }

  // Goes from t_n with y_{n+1} known to t_{n+1} with y_{n+2} known: the velocity at a point needs both its neighbours.
  StepResult advance(State& s, const StepRequest& request) {
    const double h = request.h;
    bool reuse = !request.jumped && !request.restart;
    StepResult result{.h_taken = h};
    if (matrix_.is_sparse() && !reuse) matrix_.forget();
    if (request.jumped || request.restart || h != h_) {
      result.newton = find_next(s, request);
      if (!result.newton.converged) return failed(result);
      reuse = true;
    }
    next_.t = s.t + h;
    ahead_.begin(h, next_, now_.g, increment_);
    x_ = increment_;
    weights_ = request.weights.head(n_).cwiseMax(request.weights.segment(n_, n_) / std::abs(h));
    const NewtonStats first = result.newton;
    result.newton = newton_.solve(ahead_, x_, weights_, reuse && matrix_.valid && matrix_.h == h);
    result.newton.iterations += first.iterations;
    result.newton.factorisations += first.factorisations;
    if (!result.newton.converged) return failed(result);
    // Newton's last correction was not followed by an evaluation, so g is computed once more.
    formula_.acceleration(ahead_.after.t, ahead_.after.q = next_.q + x_, ahead_.after.g);
    y0_ = s.y;
    y1_.head(n_) = next_.q;
    y1_.tail(n_) = (increment_ + x_) / (2 * h) - h / 12 * (ahead_.after.g - now_.g);
    if (!all_finite(y1_) || !all_finite(ahead_.after.g)) return {.status = StepStatus::non_finite};
    g0_ = now_.g;
    now_.g = next_.g;
    next_.q = ahead_.after.q;
    next_.g = ahead_.after.g;
    increment_ = x_;
    h_ = h;
    s.y = y1_;
    s.t += h;
    return result;
  }

  // y_1 and y_1 - y_0 from a state alone. With the same h it is the y_1 that earlier steps would have left: the
  // two-step formula with these velocities is a one-step map of (q, v).
  NewtonStats find_next(const State& s, const StepRequest& request) {
    const double h = request.h;
    h_ = 0;
    now_.t = s.t;
    now_.q = s.q();
    formula_.acceleration(s.t, now_.q, now_.g);
    start_.begin(h, now_, s.v());
    pair_.head(n_).setZero();
    pair_.tail(n_) = h * s.v();
    pair_weights_.head(n_) = request.weights.head(n_).cwiseMax(request.weights.segment(n_, n_) / std::abs(h));
    pair_weights_.tail(n_) = pair_weights_.head(n_);
    const NewtonStats stats = start_newton_.solve(start_, pair_, pair_weights_, false);
    increment_ = pair_.head(n_) + pair_.tail(n_);
    next_.q = now_.q + increment_;
    if (stats.converged) formula_.acceleration(s.t + h, next_.q, next_.g);
    return stats;
  }

  StepResult failed(StepResult& result) {
    result.status = status_of(result.newton);
    return result;
  }

  MethodInfo info_;
  Options options_;
  const MechanicalProblem& p_;
  Index n_;
  Acceleration accelerate_;
  NumerovFormula formula_;
  NumerovMatrix matrix_;
  NumerovAhead ahead_;
  NumerovStart start_;
  Newton newton_, start_newton_;
  double h_ = 0;       // step size for which now_, next_ and increment_ are valid; 0: none
  NumerovPoint now_;   // y_n, the position of the state
  NumerovPoint next_;  // y_{n+1}
  Vec increment_;      // y_{n+1} - y_n
  Vec y0_, y1_, g0_, x_, weights_, pair_, pair_weights_;
};
}  // namespace trill
TRILL_METHOD(numerov, Numerov)
