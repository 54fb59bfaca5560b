// SPDX-License-Identifier: BSD-3-Clause
// Stoermer-Verlet, velocity and position form: PJY97 eq. 4.2 with p = M v.
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
      v.choice("form", form, {"velocity", "position"}, "kick-drift-kick or drift-kick-drift");
    }
  };
  static MethodInfo describe(const Options&) {
    return {.name = "verlet",
            .title = "Stoermer-Verlet",
            .reference = "PJY97 eq. 4.2",
            .accepts = {.mechanical = true},
            .order = 2,
            .dense_order = 2,
            .symmetric = true,
            .symplectic = true,
            .constant_step = true};
  }
  static std::vector<OptionSet> variants() { return {{}, {{"form", "position"}}}; }

  Verlet(const Problem& problem, const Options& options)
      : info_(describe(options)),
        options_(options),
        p_(problem.as<MechanicalProblem>("verlet")),
        accelerate_(p_),
        position_form_(options.form == "position") {
    if (p_.constraints()) throw UsageError("verlet cannot keep constraints; use rattle for '" + p_.name() + "'");
    if (p_.mass_kind() == MassKind::of_q)
      throw UsageError("verlet needs a constant mass matrix; use implicit_midpoint or dopri5 for '" + p_.name() + "'");
    if (p_.velocity_dependent(all_groups))
      throw UsageError("verlet needs forces that do not depend on velocity; use implicit_midpoint or dopri5 for '" +
                       p_.name() + "'");
  }
  const MethodInfo& info() const override { return info_; }

  void start(State& s, const ErrorScale&) override {
    a_ = a0_ = Vec::Zero(s.layout.nq);
    y0_ = y1_ = s.y;
    t0_ = t1_ = s.t;
    accelerate_.start(s.q());
    accelerate_(s.t, s.q(), s.v(), a_);
  }

  StepResult step(State& s, const StepRequest& request) override {
    const double h = request.h;
    const Index n = s.layout.nq;
    double* q = s.y.data();
    double* v = q + n;
    if (request.jumped) evaluate(s, s.t, request);
    y0_ = s.y;
    a0_ = a_;
    if (position_form_) {
      add_scaled(q, 0.5 * h, v, n);  // q_{n+1/2} = q_n + h/2 v_n
      evaluate(s, s.t + 0.5 * h, request);
      add_scaled(v, h, a_.data(), n);  // v_{n+1} = v_n + h a(q_{n+1/2})
      add_scaled(q, 0.5 * h, v, n);    // q_{n+1} = q_{n+1/2} + h/2 v_{n+1}
    } else {
      add_scaled(v, 0.5 * h, a_.data(), n);  // v_{n+1/2} = v_n + h/2 a(q_n)
      add_scaled(q, h, v, n);                // q_{n+1} = q_n + h v_{n+1/2}
      evaluate(s, s.t + h, request);
      add_scaled(v, 0.5 * h, a_.data(), n);  // v_{n+1} = v_{n+1/2} + h/2 a(q_{n+1})
    }
    if (!all_finite(s.y.data(), s.y.size())) {
      s.y = y0_;
      a_ = a0_;
      return {.status = StepStatus::non_finite};
    }
    t0_ = s.t;
    s.t += h;
    t1_ = s.t;
    y1_ = s.y;
    return {.h_taken = h};
  }

  void interpolate(double theta, Out y) override {
    const Index n = a_.size();
    const double h = t1_ - t0_;
    hermite(theta, h, y0_.head(n), y0_.tail(n), y1_.head(n), y1_.tail(n), y.head(n));
    // The position form has accelerations at midpoints only: there the velocity is linear across the step.
    if (position_form_)
      y.tail(n) = (1 - theta) * y0_.tail(n) + theta * y1_.tail(n);
    else
      hermite(theta, h, y0_.tail(n), a0_, y1_.tail(n), a_, y.tail(n));
  }

  void save(Archive& archive) const override { archive.write(a_); }
  void load(Archive& archive) override { archive.read(a_); }
  std::unique_ptr<Stepper> clone(const Problem& problem) const override {
    return std::make_unique<Verlet>(problem, options_);
  }

 private:
  void evaluate(const State& s, double t, const StepRequest& request) {
    accelerate_(t, s.q(), s.v(), a_);
    request.work.count_forces(accelerate_.counted_groups());
  }

  MethodInfo info_;
  Options options_;
  const MechanicalProblem& p_;
  Acceleration accelerate_;
  bool position_form_;
  Vec a_, a0_;   // acceleration at the end and at the start of the last step
  Vec y0_, y1_;  // its two ends, for interpolation
  double t0_ = 0, t1_ = 0;
};
}  // namespace trill
TRILL_METHOD(verlet, Verlet)
