// SPDX-License-Identifier: BSD-3-Clause
#include "model/netlist/circuit_leap.hpp"

#include "trill/linalg/newton.hpp"

namespace trill {
namespace {
// A capacitance c that is charged for a time h acts like a conductance c/h to the voltage that it had. In a time that
// grows from step to step the conductance falls, from one that holds every voltage to none.
constexpr double first_conductance = 1e2, last_conductance = 1e-13, most_conductance = 1e8;
constexpr double conductance_fall = 0.5, conductance_rise = 8;
constexpr int most_held_steps = 600;

// rate (charge(x) - charge(x0)) + current(t, x) + conductance (v - v0) = 0, with v the voltages of the nodes; the
// equations themselves add the conductance to ground.
class HeldStep final : public MatrixSystem {
 public:
  HeldStep(const CircuitProblem& problem, const CircuitEquations& equations, double t, double rate, In x)
      : MatrixSystem(problem.jacobian_pattern()),
        problem_(problem),
        equations_(equations),
        nodes_(static_cast<Index>(equations.circuit().nodes.size())),
        t_(t),
        rate_(rate),
        dcharge_(problem.jacobian_pattern()),
        dcurrent_(dcharge_),
        held(x),
        charge_(x.size()),
        charge0_(x.size()),
        moved_(x.size()),
        wanted_(x.size()) {
    problem.charge(x, charge0_);
  }
  void residual(In x, Out r) override {
    problem_.charge(x, charge_);
    problem_.current(t_, x, r);
    r += rate_ * (charge_ - charge0_);
    r.head(nodes_) -= equations_.setting.shunt * held.head(nodes_);
  }
  void jacobian(In x, MatrixSlot& j) override {
    problem_.jacobians(t_, x, dcharge_, dcurrent_);
    for (Index k = 0; k < j.stored(); ++k) j.values()[k] += rate_ * dcharge_.values()[k] + dcurrent_.values()[k];
  }
  bool limit(In x, Out step) override {
    moved_ = x + step;
    wanted_ = moved_;
    problem_.limit(x, wanted_);
    if (wanted_ != moved_) step = wanted_ - x;
    return true;
  }

 private:
  const CircuitProblem& problem_;
  const CircuitEquations& equations_;
  Index nodes_;
  double t_, rate_;
  MatrixSlot dcharge_, dcurrent_;

 public:
  Vec held;  // the voltages before the present step

 private:
  Vec charge_, charge0_, moved_, wanted_;
};

bool solve_held(HeldStep& step, Vec& x) {
  Newton newton(x.size(), {.tolerance = 1e-3, .max_iterations = 60, .max_rate = 1e3, .rounding = 1, .stalls = 2});
  Vec trial = x;
  if (!newton.solve(step, trial, Vec::Constant(x.size(), 1e6)).converged || !trial.allFinite()) return false;
  x = trial;
  return true;
}

bool release(const CircuitProblem& problem, CircuitEquations& equations, double t, double rate, Out x) {
  HeldStep step(problem, equations, t, rate, x);
  Vec now = x;
  double conductance = first_conductance;
  for (int k = 0; k < most_held_steps && conductance > last_conductance && conductance < most_conductance; ++k) {
    equations.setting.shunt = conductance;
    step.held = now;
    conductance *= solve_held(step, now) ? conductance_fall : conductance_rise;
  }
  equations.setting.shunt = 0;
  if (conductance > last_conductance || !solve_held(step, now)) return false;
  x = now;
  return true;
}
}  // namespace

bool leap_over(const CircuitProblem& problem, CircuitEquations& equations, double t, double dt, Out x) {
  return release(problem, equations, t + dt, 1 / dt, x);
}

bool come_to_rest(const CircuitProblem& problem, CircuitEquations& equations, double t, Out x) {
  return release(problem, equations, t, 0, x);
}
}  // namespace trill
