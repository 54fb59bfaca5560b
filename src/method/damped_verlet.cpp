// SPDX-License-Identifier: BSD-3-Clause
// Verlet's method for forces that depend on velocities, with one evaluation of the force in a step. The damping that is
// proportional to the mass is implicit, all other damping acts with a velocity that is predicted to order 1.
#include "method/prospects.hpp"
#include "problem/structure.hpp"
#include "trill/formulation/acceleration.hpp"
#include "trill/linalg/kernels.hpp"
#include "trill/method/hermite.hpp"
#include "trill/method/registry.hpp"

namespace trill {
class DampedVerlet final : public Stepper {
 public:
  struct Options {
    void fields(OptionVisitor&) {}
  };
  static MethodInfo describe(const Options&) {
    return {.name = "damped_verlet",
            .title = "Stoermer-Verlet method for damped motion",
            .reference = "PJY97 eq. 4.2; T. J. R. Hughes, The Finite Element Method, 1987, sec. 9.1",
            .accepts = {.mechanical = true},
            .order = 2,
            .dense_order = 2,
            .symmetric = true,
            .symplectic = true,
            .constant_step = true,
            .componentwise = true};
  }
  static Prospect advise(const ProblemFacts&, const Question&) {
    return only_by_name("name it, with a step size h, for large damped structures whose highest frequencies matter");
  }
  static LinearForm linear_form(const Options&) { return verlet_form(); }

  DampedVerlet(const Problem& problem, const Options& options)
      : info_(describe(options)),
        p_(problem.as<MechanicalProblem>("damped_verlet")),
        structure_(dynamic_cast<const LinearStructure*>(&p_)),
        accelerate_(p_) {
    if (p_.constraints())
      throw UsageError("damped_verlet cannot satisfy constraints; use rattle for '" + p_.name() + "'");
    if (p_.mass_kind() == MassKind::of_q)
      throw UsageError(
          "damped_verlet needs a constant mass matrix, not a position-dependent mass; use implicit_midpoint or dopri5 "
          "for '" +
          p_.name() + "'");
    if (structure_) share_ = structure_->proportional_damping();
  }
  const MethodInfo& info() const override { return info_; }

  void start(State& s, const ErrorScale&) override {
    const Index n = s.layout.nq;
    a_ = a0_ = middle_ = stretched_ = Vec::Zero(n);
    y0_ = y1_ = s.y;
    accelerate_.start(s.q());
    evaluate(s.t, s.q(), s.v());
  }

  StepResult step(State& s, const StepRequest& request) override {
    const double h = request.h, half = 0.5 * h * friction();
    const Index n = s.layout.nq;
    if (request.jumped) {
      evaluate(s.t, s.q(), s.v());
      count(request);
    }
    y0_ = s.y;
    a0_ = a_;
    // v_{n+1/2} = (1 - a0 h/2) v_n + h/2 r_n, u_{n+1} = u_n + h v_{n+1/2}
    middle_ = (1 - half) * y0_.tail(n) + 0.5 * h * a0_;
    y1_.head(n) = y0_.head(n) + h * middle_;
    // (1 + a0 h/2) v_{n+1} = v_{n+1/2} + h/2 r_{n+1}
    y1_.tail(n) = (middle_ + 0.5 * h * a0_) / (1 + half);
    evaluate(s.t + h, y1_.head(n), y1_.tail(n));
    count(request);
    y1_.tail(n) = (middle_ + 0.5 * h * a_) / (1 + half);
    if (!all_finite(y1_)) {
      a_ = a0_;
      return {.status = StepStatus::non_finite};
    }
    s.y = y1_;
    s.t += h;
    h_ = h;
    return {.h_taken = h};
  }

  void interpolate(double theta, Out y) override {
    const Index n = a_.size();
    const double a0 = friction();
    hermite(theta, h_, y0_.head(n), y0_.tail(n), y1_.head(n), y1_.tail(n), y.head(n));
    hermite(theta, h_, y0_.tail(n), a0_ - a0 * y0_.tail(n), y1_.tail(n), a_ - a0 * y1_.tail(n), y.tail(n));
  }

  void memory(Archive& archive) override { archive(a_); }
  std::unique_ptr<Stepper> clone(const Problem& problem) const override {
    return std::make_unique<DampedVerlet>(problem, Options{});
  }

 private:
  double friction() const { return share_ ? share_->mass : 0; }  // the a0 of C = a0 M + a1 K
  void count(const StepRequest& request) { request.work.count_forces(accelerate_.counted_groups()); }

  // r, the acceleration without that of the friction. Both K u and a1 K v take one product.
  void evaluate(double t, In q, In v) {
    if (!share_) {
      accelerate_(t, q, v, a_);
      return;
    }
    structure_->load(t, a_);
    stretched_ = q + share_->stiffness * v;
    a_.noalias() -= structure_->stiffness_matrix() * stretched_;
    accelerate_.divide_by_mass(q, a_);
  }

  MethodInfo info_;
  const MechanicalProblem& p_;
  const LinearStructure* structure_;
  std::optional<ProportionalDamping> share_;
  Acceleration accelerate_;
  Vec a_, a0_, middle_, stretched_;
  Vec y0_, y1_;
  double h_ = 0;
};
}  // namespace trill
TRILL_METHOD(damped_verlet, DampedVerlet)
