// SPDX-License-Identifier: BSD-3-Clause
// Velocity Verlet with a nested force, which makes the trace of its step agree with that of the oscillator to order 2 m
// + 2: explicit methods of high dispersion order without damping. PJY97 sec. 2 names the aim (Van der Houwen, Sommeijer
// 1987).
#include "method/oscillator_form.hpp"
#include "method/prospects.hpp"
#include "trill/formulation/acceleration.hpp"
#include "trill/linalg/kernels.hpp"
#include "trill/method/hermite.hpp"
#include "trill/method/registry.hpp"

namespace trill {
class NestedNystrom final : public Stepper {
 public:
  struct Options {
    int m = 2;
    void fields(OptionVisitor& v) {
      v.integer("m", m, Range::between(1, 5), "force evaluations per step; the dispersion order is 2 m");
    }
  };
  static std::vector<OptionSet> variants() { return {{}, {{"m", "1"}}, {{"m", "3"}}, {{"m", "4"}}, {{"m", "5"}}}; }
  static Prospect advise(const ProblemFacts&, const Question&) {
    return only_by_name("name it, with a step size h, for phases of nearly linear oscillations");
  }
  static LinearForm linear_form(const Options& options) {
    std::vector<Extended> half_force{0.5L};
    for (int k = 1; k < options.m; ++k) half_force.push_back(-half_force.back() / ((2 * k + 1) * (2 * k + 2)));
    const LinearForm kick = kick_form(Polynomial(half_force));
    return kick * drift_form(1) * kick;
  }
  static MethodInfo describe(const Options& options) {
    return {.name = "nested_nystrom",
            .title = "Verlet with nested forces, with dispersion order " + std::to_string(2 * options.m),
            .reference = "PJY97 sec. 2",
            .accepts = {.mechanical = true},
            .order = 2,
            .dense_order = 2,
            .symmetric = true,
            .symplectic = options.m == 1,
            .area_preserving = options.m > 1,
            .constant_step = true,
            .componentwise = true};
  }

  NestedNystrom(const Problem& problem, const Options& options)
      : info_(describe(options)),
        options_(options),
        p_(oscillator_form(problem, "nested_nystrom", "implicit_midpoint or dopri5")),
        accelerate_(p_) {}
  const MethodInfo& info() const override { return info_; }

  void start(State& s, const ErrorScale&) override {
    a_ = a0_ = q_ = Vec::Zero(s.layout.nq);
    y0_ = y1_ = s.y;
    accelerate_.start(s.q());
    h_ = 0;
  }

  StepResult step(State& s, const StepRequest& request) override {
    const double h = request.h;
    const Index n = s.layout.nq;
    // The nested force is valid for one step size only.
    if (request.jumped || h != h_) {
      h_ = 0;
      if (!evaluate(s.t, s.y, h, request)) return {.status = StepStatus::non_finite};
    }
    h_ = h;
    y0_ = y1_ = s.y;
    a_.swap(a0_);
    double *q = y1_.data(), *v = q + n;
    add_scaled(v, 0.5 * h, a0_.data(), n);
    add_scaled(q, h, v, n);
    const bool finite = evaluate(s.t + h, y1_, h, request);
    add_scaled(v, 0.5 * h, a_.data(), n);
    if (!finite || !all_finite(y1_)) {
      a_.swap(a0_);
      return {.status = StepStatus::non_finite};
    }
    s.y = y1_;
    s.t += h;
    return {.h_taken = h};
  }

  void interpolate(double theta, Out y) override {
    const Index n = a_.size();
    hermite(theta, h_, y0_.head(n), y0_.tail(n), y1_.head(n), y1_.tail(n), y.head(n));
    hermite(theta, h_, y0_.tail(n), a0_, y1_.tail(n), a_, y.tail(n));
  }

  void memory(Archive& archive) override { archive(a_, h_); }
  std::unique_ptr<Stepper> clone(const Problem& problem) const override {
    return std::make_unique<NestedNystrom>(problem, options_);
  }

 private:
  // f(q + h^2/12 f(q + h^2/30 f(q + h^2/56 f(..)))), factors 1/((2 k + 1)(2 k + 2)).
  // false: one of the inner forces is not finite, even if the force at q itself is.
  bool evaluate(double t, const Vec& y, double h, const StepRequest& request) {
    const Index n = a_.size();
    for (int k = options_.m - 1; k >= 0; --k) {
      q_ = y.head(n);
      if (k < options_.m - 1) q_ += h * h / ((2 * k + 3) * (2 * k + 4)) * a_;
      accelerate_(t, q_, y.tail(n), a_);
      request.work.count_forces(accelerate_.counted_groups());
      if (!all_finite(a_)) return false;
    }
    return true;
  }

  MethodInfo info_;
  Options options_;
  const MechanicalProblem& p_;
  Acceleration accelerate_;
  Vec a_, a0_;  // nested acceleration at the end and at the start of the last step
  Vec y0_, y1_, q_;
  double h_ = 0;  // step size that a_ was computed for
};
}  // namespace trill
TRILL_METHOD(nested_nystrom, NestedNystrom)
