// SPDX-License-Identifier: BSD-3-Clause
// Stoermer-Verlet, velocity and position form: PJY97 eq. 4.2 with p = M v.
#include "method/prospects.hpp"
#include "trill/formulation/acceleration.hpp"
#include "trill/linalg/kernels.hpp"
#include "trill/method/hermite.hpp"
#include "trill/method/registry.hpp"

namespace trill {
class Verlet final : public Stepper {
 public:
  struct Options {
    std::string form = "velocity";
    void fields(OptionVisitor& v) {
      v.choice("form", form, {"velocity", "position"},
               "which of the two forms: kick-drift-kick (velocity) or drift-kick-drift (position)");
    }
  };
  static MethodInfo describe(const Options&) {
    return {.name = "verlet",
            .title = "Stoermer-Verlet method",
            .reference = "PJY97 eq. 4.2",
            .accepts = {.mechanical = true},
            .order = 2,
            .dense_order = 2,
            .symmetric = true,
            .symplectic = true,
            .constant_step = true,
            .componentwise = true};
  }
  static std::vector<OptionSet> variants() { return {{}, {{"form", "position"}}}; }
  static Prospect advise(const ProblemFacts& facts, const Question& question) {
    return equal_steps_prospect(
        facts, question,
        {.order = 2, .error_constant = 1.0 / 24, .forces = 1, .overhead = 4e-8, .overhead_of_unknown = 1e-9});
  }
  static LinearForm linear_form(const Options& options) {
    return options.form == "position" ? drift_form(0.5L) * kick_form({1}) * drift_form(0.5L) : verlet_form();
  }

  Verlet(const Problem& problem, const Options& options)
      : info_(describe(options)),
        options_(options),
        p_(problem.as<MechanicalProblem>("verlet")),
        accelerate_(p_),
        position_form_(options.form == "position") {
    if (p_.constraints()) throw UsageError("verlet cannot satisfy constraints; use rattle for '" + p_.name() + "'");
    if (p_.mass_kind() == MassKind::of_q)
      throw UsageError(
          "verlet needs a constant mass matrix, not a position-dependent mass; use implicit_midpoint or dopri5 for '" +
          p_.name() + "'");
    if (p_.velocity_dependent(all_groups))
      throw UsageError("verlet needs forces that do not depend on velocity; use implicit_midpoint or dopri5 for '" +
                       p_.name() + "'");
  }
  const MethodInfo& info() const override { return info_; }

  void start(State& s, const ErrorScale&) override {
    a_ = a0_ = Vec::Zero(s.layout.nq);
    y0_ = s.y;
    q1_ = v1_ = a_;
    accelerate_.start(s.q());
    accelerate_(s.t, s.q(), s.v(), a_);
  }

  StepResult step(State& s, const StepRequest& request) override {
    if (request.jumped) evaluate(s, s.t, request);
    // The old state stays in y0_, and the new one is written into the other buffer: cheaper than a copy.
    s.y.swap(y0_);
    if (!(position_form_ ? drift_kick_drift(s, request) : kick_drift_kick(s, request))) {
      s.y.swap(y0_);
      return {.status = StepStatus::non_finite};
    }
    h_ = request.h;
    s.t += h_;
    return {.h_taken = h_};
  }

  void interpolate(double theta, Out y) override {
    const Index n = a_.size();
    const auto q0 = y0_.head(n), v0 = y0_.tail(n);
    // The end of the step is computed again with the formulas of step(): cheaper than a copy in every step.
    if (position_form_) {
      v1_ = v0 + h_ * a_;
      q1_ = q0 + 0.5 * h_ * v0 + 0.5 * h_ * v1_;
      // Accelerations are known at midpoints only: the velocity is linear across the step.
      y.tail(n) = (1 - theta) * v0 + theta * v1_;
    } else {
      v1_ = v0 + 0.5 * h_ * a0_;
      q1_ = q0 + h_ * v1_;
      v1_ += 0.5 * h_ * a_;
      hermite(theta, h_, v0, a0_, v1_, a_, y.tail(n));
    }
    hermite(theta, h_, q0, v0, q1_, v1_, y.head(n));
  }

  void memory(Archive& archive) override { archive(a_); }
  std::unique_ptr<Stepper> clone(const Problem& problem) const override {
    return std::make_unique<Verlet>(problem, options_);
  }

 private:
  bool kick_drift_kick(State& s, const StepRequest& request) {
    const double h = request.h;
    const Index n = s.layout.nq;
    const double *q0 = y0_.data(), *v0 = q0 + n;
    double *q = s.y.data(), *v = q + n;
    // v_{n+1/2} = v_n + h/2 a(q_n), q_{n+1} = q_n + h v_{n+1/2}
    const bool finite = kick_drift(q0, v0, a_.data(), 0.5 * h, h, q, v, n);
    a_.swap(a0_);
    evaluate(s, s.t + h, request);
    // v_{n+1} = v_{n+1/2} + h/2 a(q_{n+1})
    if (add_scaled_checked(v, 0.5 * h, a_.data(), n) && finite) return true;
    a_.swap(a0_);
    return false;
  }

  bool drift_kick_drift(State& s, const StepRequest& request) {
    const double h = request.h;
    const Index n = s.layout.nq;
    s.y = y0_;
    double *q = s.y.data(), *v = q + n;
    add_scaled(q, 0.5 * h, v, n);  // q_{n+1/2} = q_n + h/2 v_n
    evaluate(s, s.t + 0.5 * h, request);
    const bool finite = add_scaled_checked(v, h, a_.data(), n);  // v_{n+1} = v_n + h a(q_{n+1/2})
    return add_scaled_checked(q, 0.5 * h, v, n) && finite;       // q_{n+1} = q_{n+1/2} + h/2 v_{n+1}
  }

  void evaluate(const State& s, double t, const StepRequest& request) {
    accelerate_(t, s.q(), s.v(), a_);
    request.work.count_forces(accelerate_.counted_groups());
  }

  MethodInfo info_;
  Options options_;
  const MechanicalProblem& p_;
  Acceleration accelerate_;
  bool position_form_;
  // Acceleration at the end and at the start of the last step; in the position form, at its middle.
  Vec a_, a0_;
  Vec y0_;  // state at the start of the last step
  Vec q1_, v1_;
  double h_ = 0;
};
}  // namespace trill
TRILL_METHOD(verlet, Verlet)
