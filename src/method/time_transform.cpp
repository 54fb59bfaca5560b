// SPDX-License-Identifier: BSD-3-Clause
// Variable steps that keep the good properties of Verlet's method: equal steps in a fictitious time, in which the
// motion is as fast everywhere. Verlet on s(q)(H - H0) (Hairer 1997; Reich 1999), adaptive Verlet (Huang, Leimkuhler
// 1997) and the logarithmic Hamiltonian (Mikkola, Tanikawa 1999; Preto, Tremaine 1999).
#include "formulation/frequencies.hpp"
#include "method/position_function.hpp"
#include "method/prospects.hpp"
#include "trill/formulation/acceleration.hpp"
#include "trill/linalg/kernels.hpp"
#include "trill/method/hermite.hpp"
#include "trill/method/registry.hpp"

#include <cmath>

#include <fmt/format.h>

namespace trill {
namespace {
constexpr int most_iterations = 50;

struct TransformOptions {
  std::string scale = "1";
  double step = 0;
  void step_field(OptionVisitor& v) {
    v.number("step", step, Range::at_least(0),
             "step in fictitious time; 0: such that the first step in time is sqrt(8 rtol)/omega at the start");
  }
  void fields(OptionVisitor& v) {
    v.text("scale", scale, "a formula in positions and parameters, such as (x^2 + y^2)^0.75",
           "s(q) > 0, smooth: a step in time is s times the step in fictitious time");
    step_field(v);
  }
};

// What the three methods share: the fictitious step, landing on a given time, and values inside a step.
class TransformedStepper : public Stepper {
 public:
  const MethodInfo& info() const override { return info_; }
  void start(State& s, const ErrorScale& scale) override {
    const Index n = s.layout.nq;
    accelerate_.start(s.q());
    mass_ = p_.mass_pattern();
    p_.mass(s.q(), mass_);
    a_ = a0_ = product_ = Vec::Zero(n);
    y0_ = y1_ = s.y;
    accelerate_(s.t, s.q(), s.v(), a_);
    energy_ = kinetic(s.v()) + potential(s.t, s.q());
    begin(s);
    step_ = given_step_;
    if (step_ > 0) return;
    const double omega = fastest_frequency(p_, s);
    step_ = (omega > 0 ? std::sqrt(8 * scale.rtol) / omega : 1e-3) / pace(s);
  }
  StepResult step(State& s, const StepRequest& request) override {
    if (request.jumped) {
      accelerate_(s.t, s.q(), s.v(), a_);
      energy_ = kinetic(s.v()) + potential(s.t, s.q());
      begin(s);
    }
    const double direction = request.h < 0 ? -1 : 1;
    y0_ = s.y;
    a0_ = a_;
    keep();
    double fictitious = direction * step_, dt = 0;
    for (int k = 0; k < most_iterations; ++k) {
      s.y = y0_;
      a_ = a0_;
      restore();
      const StepStatus status = attempt(fictitious, s, request, dt);
      if (status == StepStatus::newton_diverged && k + 1 < most_iterations) {
        fictitious *= 0.5;
        continue;
      }
      if (status != StepStatus::ok || !all_finite(s.y) || !(direction * dt > 0)) {
        s.y = y0_;
        a_ = a0_;
        restore();
        return {.status = status == StepStatus::ok ? StepStatus::non_finite : status};
      }
      // The last step of a run is cut so that it ends in time.
      if (direction * dt <= direction * request.h * (1 + 1e-13)) break;
      fictitious *= request.h / dt;
    }
    if (direction * dt > direction * request.h * (1 - 1e-12)) dt = request.h;
    h_ = dt;
    y1_ = s.y;
    s.t += dt;
    return {.h_taken = dt};
  }
  void interpolate(double theta, Out y) override {
    const Index n = a_.size();
    hermite(theta, h_, y0_.head(n), y0_.tail(n), y1_.head(n), y1_.tail(n), y.head(n));
    hermite(theta, h_, y0_.tail(n), a0_, y1_.tail(n), a_, y.tail(n));
  }
  void memory(Archive& archive) override { archive(a_, energy_, step_); }
  // Half of the step that was given.
  void refine() override { given_step_ *= 0.5; }

 protected:
  TransformedStepper(MethodInfo info, const Problem& problem, double step)
      : info_(std::move(info)), p_(accepted(problem, info_.name)), accelerate_(p_), given_step_(step) {}

  static MethodInfo describe(const char* name, const char* title, const char* reference) {
    return {.name = name,
            .title = title,
            .reference = reference,
            .accepts = {.mechanical = true},
            .dense_order = 2,
            .owns_step = true};
  }

  virtual void begin(const State&) {}  // the state was given or changed from outside
  virtual void keep() {}               // what attempt() changes beside the state
  virtual void restore() {}
  virtual double pace(const State& s) = 0;  // dt over the fictitious step
  // One step of this size in fictitious time; it advances q, v and acceleration().
  virtual StepStatus attempt(double h, State& s, const StepRequest& request, double& dt) = 0;

  void find_acceleration(double t, const State& s, const StepRequest& request) {
    accelerate_(t, s.q(), s.v(), a_);
    request.work.count_forces(accelerate_.counted_groups());
  }
  double product(In u, In v) {  // u^T M v
    mass_.multiply(v, product_);
    return u.dot(product_);
  }
  double kinetic(In v) { return 0.5 * product(v, v); }
  double potential(double t, In q) const { return p_.potential(all_groups, t, q).value_or(std::nan("")); }
  const MechanicalProblem& mechanics() const { return p_; }
  Acceleration& accelerate() { return accelerate_; }
  const Vec& acceleration() const { return a_; }
  double energy() const { return energy_; }

 private:
  static const MechanicalProblem& accepted(const Problem& problem, const std::string& name) {
    const auto& p = problem.as<MechanicalProblem>(name);
    if (p.constraints()) throw UsageError(name + " cannot satisfy constraints; use rattle for '" + p.name() + "'");
    if (p.mass_kind() == MassKind::of_q)
      throw UsageError(name + " needs a constant mass matrix, not a position-dependent mass; use dop853 for '" +
                       p.name() + "'");
    if (p.velocity_dependent(all_groups))
      throw UsageError(name + " needs forces that do not depend on velocity; use dop853 for '" + p.name() + "'");
    const State s = p.initial_state();
    if (!p.potential(all_groups, s.t, s.q()))
      throw UsageError(name + " needs forces that have a potential; use dop853 for '" + p.name() + "'");
    return p;
  }

  MethodInfo info_;
  const MechanicalProblem& p_;
  Acceleration accelerate_;
  MatrixSlot mass_;
  Vec a_, a0_, y0_, y1_, product_;
  double energy_ = 0, given_step_, step_ = 0, h_ = 0;
};

class TimeTransform final : public TransformedStepper {
 public:
  using Options = TransformOptions;
  static Prospect advise(const ProblemFacts&, const Question&) {
    return only_by_name("name it, with a scale, for long runs of motions with rare fast passages");
  }
  static MethodInfo describe(const Options&) {
    return TransformedStepper::describe("time_transform", "Verlet on s(q)(H - H0): symplectic with variable steps",
                                        "PJY97 sec. 4.2; Hairer, Appl. Numer. Math. 25 (1997) 219-227; Reich, SIAM J. "
                                        "Numer. Anal. 36 (1999) 1549-1570");
  }
  TimeTransform(const Problem& problem, const Options& options)
      : TransformedStepper(describe(options), problem, options.step),
        options_(options),
        scale_(mechanics(), options.scale, "time_transform: scale") {}
  std::unique_ptr<Stepper> clone(const Problem& problem) const override {
    return std::make_unique<TimeTransform>(problem, options_);
  }

 private:
  double pace(const State& s) override { return scale_.value(s.q()); }
  void begin(const State& s) override {
    slope_ = c_ = half_ = q0_ = Vec::Zero(s.layout.nq);
    if (!(pace(s) > 0)) throw UsageError("time_transform: the scale must be positive, but it is not at the start");
  }

  // M^-1 grad s
  double scale_and_slope(In q) {
    const double s = scale_.value_and_gradient(q, slope_);
    accelerate().divide_by_mass(q, slope_);
    return s;
  }

  StepStatus attempt(double h, State& s, const StepRequest& request, double& dt) override {
    const double s0 = scale_and_slope(s.q()), excess = potential(s.t, s.q()) - energy();
    // p = c - u d with d = h/4 grad s, and u = |p|^2 is the small root of u = |c|^2 - 2 u c.d + u^2 |d|^2
    c_ = s.v() + 0.5 * h * (s0 * acceleration() - excess * slope_);
    const double cc = product(c_, c_), cd = 0.25 * h * product(c_, slope_), dd = h * h / 16 * product(slope_, slope_),
                 b = 1 + 2 * cd, root = b * b - 4 * cc * dd;
    if (!(root >= 0)) return StepStatus::newton_diverged;
    const double u = 2 * cc / (b + std::sqrt(root));
    half_ = c_ - 0.25 * h * u * slope_;
    // q1 = q + h tau v with tau = (s(q) + s(q1))/2, by Newton's method for tau
    q0_ = s.q();
    double tau = s0, s1 = s0;
    for (int k = 0; k < most_iterations; ++k) {
      s.q() = q0_ + h * tau * half_;
      s1 = scale_.value_and_gradient(s.q(), slope_);
      const double by = (tau - 0.5 * (s0 + s1)) / (1 - 0.5 * h * slope_.dot(half_));
      tau -= by;
      if (!std::isfinite(tau)) return StepStatus::newton_diverged;
      if (std::abs(by) <= 1e-15 * std::abs(tau)) break;
    }
    if (!(tau > 0)) return StepStatus::newton_diverged;
    s.q() = q0_ + h * tau * half_;
    dt = h * tau;
    s1 = scale_and_slope(s.q());
    find_acceleration(s.t + dt, s, request);
    s.v() = half_ + 0.5 * h * (s1 * acceleration() - (0.5 * u + potential(s.t + dt, s.q()) - energy()) * slope_);
    return StepStatus::ok;
  }

  Options options_;
  PositionFunction scale_;
  Vec slope_, c_, half_, q0_;
};

class AdaptiveVerlet final : public TransformedStepper {
 public:
  using Options = TransformOptions;
  static Prospect advise(const ProblemFacts&, const Question&) {
    return only_by_name("name it, with a scale, for long runs of motions with rare fast passages");
  }
  static MethodInfo describe(const Options&) {
    return TransformedStepper::describe(
        "adaptive_verlet", "Adaptive Verlet: reversible with variable steps",
        "Huang, Leimkuhler, SIAM J. Sci. Comput. 18 (1997) 239-256; Holder, Leimkuhler, Reich, Appl. Numer. Math. 39 "
        "(2001) 367-377");
  }
  AdaptiveVerlet(const Problem& problem, const Options& options)
      : TransformedStepper(describe(options), problem, options.step),
        options_(options),
        scale_(mechanics(), options.scale, "adaptive_verlet: scale") {}
  void memory(Archive& archive) override {
    TransformedStepper::memory(archive);
    archive(density_);
  }
  std::unique_ptr<Stepper> clone(const Problem& problem) const override {
    return std::make_unique<AdaptiveVerlet>(problem, options_);
  }

 private:
  double pace(const State& s) override { return scale_.value(s.q()); }
  void begin(const State& s) override {
    const double scale = pace(s);
    if (!(scale > 0)) throw UsageError("adaptive_verlet: the scale must be positive, but it is not at the start");
    density_ = kept_ = 1 / scale;
  }
  void keep() override { kept_ = density_; }
  void restore() override { density_ = kept_; }

  // Steps of h/rho in time, where rho of the steps before and after a point have the mean 1/s there.
  StepStatus attempt(double h, State& s, const StepRequest& request, double& dt) override {
    dt = h / density_;
    s.v() += 0.5 * dt * acceleration();
    s.q() += dt * s.v();
    find_acceleration(s.t + dt, s, request);
    s.v() += 0.5 * dt * acceleration();
    density_ = 2 / scale_.value(s.q()) - density_;
    return density_ > 0 ? StepStatus::ok : StepStatus::newton_diverged;
  }

  Options options_;
  PositionFunction scale_;
  double density_ = 1, kept_ = 1;
};

class LogarithmicLeapfrog final : public TransformedStepper {
 public:
  struct Options : TransformOptions {
    void fields(OptionVisitor& v) { step_field(v); }
  };
  static Prospect advise(const ProblemFacts&, const Question&) {
    return only_by_name("name it for few bodies that attract each other, over long times");
  }
  static MethodInfo describe(const Options&) {
    return TransformedStepper::describe(
        "logarithmic", "Leapfrog with the logarithmic Hamiltonian log(T - H0) - log(-U)",
        "Mikkola, Tanikawa, Mon. Not. R. Astron. Soc. 310 (1999) 745-749; Preto, Tremaine, Astron. J. 118 (1999) "
        "2532-2541");
  }
  LogarithmicLeapfrog(const Problem& problem, const Options& options)
      : TransformedStepper(describe(options), problem, options.step), options_(options) {}
  void memory(Archive& archive) override {
    TransformedStepper::memory(archive);
    archive(above_);
  }
  std::unique_ptr<Stepper> clone(const Problem& problem) const override {
    return std::make_unique<LogarithmicLeapfrog>(problem, options_);
  }

 private:
  // T - H0 + C = C - U along the motion. C = 0 is exact for two bodies; where U may be positive, C is above all of U.
  void begin(const State&) override { above_ = energy() < 0 ? 0 : energy() > 0 ? 2 * energy() : 1; }
  double pace(const State& s) override { return 1 / (kinetic(s.v()) - energy() + above_); }

  // Drift, kick, drift; the time advances in the drifts.
  StepStatus attempt(double h, State& s, const StepRequest& request, double& dt) override {
    const double first = 0.5 * h * pace(s);
    s.q() += first * s.v();
    const double depth = above_ - potential(s.t + first, s.q());
    if (!(depth > 0)) return StepStatus::newton_diverged;
    find_acceleration(s.t + first, s, request);
    s.v() += h / depth * acceleration();
    const double last = 0.5 * h * pace(s);
    s.q() += last * s.v();
    dt = first + last;
    return StepStatus::ok;
  }

  Options options_;
  double above_ = 0;
};
}  // namespace

void register_method_time_transform(Catalogue& catalogue) {
  add_method<TimeTransform>(catalogue);
  add_method<AdaptiveVerlet>(catalogue);
  add_method<LogarithmicLeapfrog>(catalogue);
}
}  // namespace trill
