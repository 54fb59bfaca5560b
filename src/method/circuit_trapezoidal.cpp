// SPDX-License-Identifier: BSD-3-Clause
// Trapezoidal rule for circuits in charge form, d/dt charge(x) + current(t, x) = 0. The step after a start or a jump is
// implicit Euler, which needs no consistent currents at its start. PJY97 sec. 5.
#include "method/prospects.hpp"
#include "trill/linalg/kernels.hpp"
#include "trill/method/registry.hpp"
#include "trill/problem/circuit.hpp"

namespace trill {
namespace {
// charge(x) - c0 + h (theta i(t1, x) + (1 - theta) i0) = 0
class ChargeSystem final : public MatrixSystem {
 public:
  explicit ChargeSystem(const CircuitProblem& p)
      : MatrixSystem(p.jacobian_pattern()),
        p_(p),
        dcharge_(p.jacobian_pattern()),
        dcurrent_(p.jacobian_pattern()),
        c0(p.layout().nq),
        i0(p.layout().nq),
        i1(p.layout().nq),
        moved_(p.layout().nq),
        limited_(p.layout().nq) {}
  void residual(In x, Out r) override {
    ++evaluations;
    p_.charge(x, r);
    p_.current(t1, x, i1);
    r += h * (theta * i1 + (1 - theta) * i0) - c0;
  }
  void jacobian(In x, MatrixSlot& j) override {
    p_.jacobians(t1, x, dcharge_, dcurrent_);
    j.scale_add(1, dcharge_);
    j.scale_add(h * theta, dcurrent_);
  }
  bool limit(In x, Out step) override {
    moved_ = x + step;
    limited_ = moved_;
    p_.limit(x, limited_);
    // Entries that were not limited keep their exact value: the rounding of moved - x would look like a shortened step.
    for (Index i = 0; i < step.size(); ++i)
      if (limited_[i] != moved_[i]) step[i] = limited_[i] - x[i];
    return true;
  }

 private:
  const CircuitProblem& p_;
  MatrixSlot dcharge_, dcurrent_;

 public:
  double t1 = 0, h = 0, theta = 0.5;
  Vec c0, i0, i1;
  int evaluations = 0;

 private:
  Vec moved_, limited_;
};
}  // namespace

class CircuitTrapezoidal final : public Stepper {
 public:
  struct Options {
    void fields(OptionVisitor&) {}
  };
  static MethodInfo describe(const Options&) {
    return {.name = "circuit_trapezoidal",
            .title = "Trapezoidal rule for circuits, in charges",
            .reference = "PJY97 sec. 5",
            .accepts = {.circuit = true},
            .order = 2,
            .dense_order = 2,
            .dense_degree = 1,
            .implicit_step = true};
  }
  static Prospect advise(const ProblemFacts&, const Question&) {
    return only_by_name("it has no error control; name it, with a step size h, for equal steps that do not damp");
  }
  static LinearForm linear_form(const Options&) {
    return runge_kutta_form(extended_tableau(ImplicitFamily::lobatto_iiia, 2));
  }

  CircuitTrapezoidal(const Problem& problem, const Options& options)
      : info_(describe(options)),
        p_(problem.as<CircuitProblem>("circuit_trapezoidal")),
        system_(p_),
        newton_(p_.layout().nq, {.tolerance = 0.1, .max_iterations = 50, .max_rate = 1e3}) {
    // A sparse factorisation depends on earlier matrices and is not saved: it starts anew at every checkpoint.
    info_.saves_memory = !system_.matrix().is_sparse();
  }
  const MethodInfo& info() const override { return info_; }

  void start(State& s, const ErrorScale&) override { y0_ = y1_ = x_ = s.y; }

  StepResult step(State& s, const StepRequest& request) override {
    if ((request.jumped || request.restart) && system_.matrix().is_sparse()) system_.forget();
    system_.h = request.h;
    system_.t1 = s.t + request.h;
    system_.theta = request.jumped ? 1 : 0.5;
    p_.charge(s.y, system_.c0);
    p_.current(s.t, s.y, system_.i0);
    x_ = s.y;
    const int evaluations = system_.evaluations;
    StepResult result{.h_taken = request.h};
    result.newton = newton_.solve(system_, x_, request.weights);
    for (int i = evaluations; i < system_.evaluations; ++i) request.work.count_forces(1);
    request.work.jacobians += result.newton.factorisations;
    result.status = status_of(result.newton);
    if (result.status != StepStatus::ok) return result;
    y0_ = s.y;
    s.y = y1_ = x_;
    s.t += request.h;
    return result;
  }

  void interpolate(double theta, Out y) override { y = (1 - theta) * y0_ + theta * y1_; }
  void memory(Archive&) override {}  // nothing to save: charges and currents follow from the state
  std::unique_ptr<Stepper> clone(const Problem& problem) const override {
    return std::make_unique<CircuitTrapezoidal>(problem, Options{});
  }

 private:
  MethodInfo info_;
  const CircuitProblem& p_;
  ChargeSystem system_;
  Newton newton_;
  Vec y0_, y1_, x_;
};
}  // namespace trill
TRILL_METHOD(circuit_trapezoidal, CircuitTrapezoidal)
