// SPDX-License-Identifier: BSD-3-Clause
// Verlet's method with the forces of the Moreau envelope of the potential: a one-parameter family with Verlet, Numerov,
// the implicit midpoint rule and LIM2. R. D. Skeel, G. Zhang, T. Schlick, SIAM J. Sci. Comput. 18 (1997) 203-222;
// PJY97 sec. 4.1.
#include "method/envelope_point.hpp"
#include "method/exchange_limit.hpp"
#include "method/oscillator_form.hpp"
#include "method/prospects.hpp"
#include "trill/linalg/kernels.hpp"
#include "trill/method/hermite.hpp"
#include "trill/method/registry.hpp"

#include <cmath>

namespace trill {
class EnvelopeVerlet final : public Stepper {
 public:
  struct Options {
    double alpha = 0.25;
    void fields(OptionVisitor& v) {
      v.number(
          "alpha", alpha, Range::between(0, 100),
          "member of the family: 0 Verlet, 1/12 = 0.08333333333333333 Numerov, 1/4 the implicit midpoint rule, 1/2 "
          "LIM2");
    }
    bool is_numerov() const { return std::abs(alpha - 1.0 / 12) < 1e-12; }
  };
  static std::vector<OptionSet> variants() {
    return {{}, {{"alpha", "0"}}, {{"alpha", "0.08333333333333333"}}, {{"alpha", "0.5"}}};
  }
  static Prospect advise(const ProblemFacts&, const Question&) {
    return only_by_name("its steps cost many evaluations of forces; name it to study resonances and long steps");
  }
  // 2 cos(theta) = 2 - x/(1 + alpha x)
  static LinearForm linear_form(const Options& options) {
    if (options.alpha == 0) return verlet_form();
    return two_step_form({2, 2 * options.alpha - 1}, {1, options.alpha});
  }
  static MethodInfo describe(const Options& options) {
    const int order = options.is_numerov() ? 4 : 2;
    return {.name = "envelope_verlet",
            .title = "Verlet's method on the envelope of the potential: Verlet, Numerov, implicit midpoint, LIM2",
            .reference = "Skeel, Zhang, Schlick, SIAM J. Sci. Comput. 18 (1997) 203-222; PJY97 sec. 4.1",
            .accepts = {.mechanical = true},
            .order = order,
            .dense_order = order,
            .implicit_step = options.alpha > 0,
            .symmetric = true,
            .symplectic = options.alpha == 0,
            .p_stable = options.alpha >= 0.25,
            .area_preserving = options.alpha < 0.25,
            .constant_step = true};
  }

  EnvelopeVerlet(const Problem& problem, const Options& options)
      : info_(describe(options)),
        options_(options),
        p_(oscillator_form(problem, "envelope_verlet", "implicit_midpoint or dopri5")),
        accelerate_(p_),
        point_(p_) {}
  const MethodInfo& info() const override { return info_; }

  void start(State& s, const ErrorScale&) override {
    accelerate_.start(s.q());
    point_.start(s.q());
    x_ = v_ = a_ = a0_ = x1_ = v1_ = X_ = V_ = Vec::Zero(s.layout.nq);
    y0_ = y1_ = s.y;
    accelerate_(s.t, s.q(), s.v(), a_);
    entered_ = 0;
    if (options_.alpha > 0) exchange_.start(p_, s);
  }

  StepResult step(State& s, const StepRequest& request) override {
    const double h = request.h, t1 = s.t + h;
    const Index n = s.layout.nq;
    if (request.jumped) {
      accelerate_(s.t, s.q(), s.v(), a_);
      request.work.count_forces(accelerate_.counted_groups());
    }
    if (request.jumped || std::abs(h) != std::abs(entered_)) enter(s, h, request.work);
    v1_ = v_ + 0.5 * h * a_;
    x1_ = x_ + h * v1_;
    StepResult result{.h_taken = h};
    X_ = x1_ + tau(h) * a_;
    if (!find_point(t1, h, request, result)) return result;
    v1_ += 0.5 * h * a0_;
    V_ = v1_;
    if (options_.alpha > 0 && !point_.divide(t1, velocity_tau(h), X_, v1_, V_, request.work))
      return {.status = StepStatus::newton_diverged};
    if (!all_finite(X_) || !all_finite(V_)) return {.status = StepStatus::non_finite};
    y0_ = s.y;
    a_.swap(a0_);
    x_.swap(x1_);
    v_.swap(v1_);
    s.q() = X_;
    s.v() = V_;
    s.t = t1;
    y1_.head(n) = X_;
    y1_.tail(n) = V_;
    h_ = h;
    exchange_.took(h);
    return result;
  }

  void interpolate(double theta, Out y) override {
    const Index n = a_.size();
    hermite(theta, h_, y0_.head(n), y0_.tail(n), y1_.head(n), y1_.tail(n), y.head(n));
    hermite(theta, h_, y0_.tail(n), a0_, y1_.tail(n), a_, y.tail(n));
  }
  void memory(Archive& archive) override { archive(x_, v_, a_, entered_); }
  void conclude(double t, Notes& notes) const override { exchange_.conclude(t, notes); }
  std::unique_ptr<Stepper> clone(const Problem& problem) const override {
    return std::make_unique<EnvelopeVerlet>(problem, options_);
  }

 private:
  double tau(double h) const { return options_.alpha * h * h; }
  double velocity_tau(double h) const { return (options_.alpha - 1.0 / 6) * h * h; }

  // From the recorded state, which is read as (X, V) with v = (I + (1/6 - alpha) h^2 M^-1 F'(X)) V: with these
  // Numerov's member has order 4, and energies have no spurious part.
  void enter(const State& s, double h, Counters& work) {
    entered_ = h;
    x_ = s.q() - tau(h) * a_;
    v_ = s.v();
    if (options_.alpha > 0) point_.multiply_by(s.t, velocity_tau(h), s.q(), s.v(), v_, work);
  }

  // X = x1 + alpha h^2 M^-1 F(X) and the acceleration there, in a0_.
  bool find_point(double t1, double h, const StepRequest& request, StepResult& result) {
    if (options_.alpha == 0) {
      accelerate_(t1, X_, v1_, a0_);
      request.work.count_forces(accelerate_.counted_groups());
      return true;
    }
    result.newton = point_.solve(t1, x1_, tau(h), request.weights.head(X_.size()), X_, request.work);
    result.status = status_of(result.newton);
    if (result.status != StepStatus::ok) return false;
    a0_ = point_.force();
    accelerate_.divide_by_mass(X_, a0_);
    return true;
  }

  MethodInfo info_;
  Options options_;
  const MechanicalProblem& p_;
  Acceleration accelerate_;
  EnvelopePoint point_;
  ExchangeLimit exchange_;
  Vec x_, v_;   // the state of Verlet's method at the end of the last step
  Vec a_, a0_;  // accelerations at its end and start
  Vec x1_, v1_, X_, V_, y0_, y1_;
  double h_ = 0, entered_ = 0;  // step sizes of the last step, and of x_ and v_
};
}  // namespace trill
TRILL_METHOD(envelope_verlet, EnvelopeVerlet)
