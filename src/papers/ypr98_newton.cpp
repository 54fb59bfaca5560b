// SPDX-License-Identifier: BSD-3-Clause
#include "papers/ypr98_newton.hpp"

#include "method/alpha_stepper.hpp"

namespace trill::papers::ypr98 {
namespace {
constexpr double in_weights = 1e-3;  // what a tolerance is worth there: ten times as much is taken for rounding

// Steps of generalized_alpha without what helps that method to succeed: a second guess if the first fails, and matrices
// kept from step to step. The tables show when the plain iteration fails.
class AlphaSteps {
 public:
  AlphaSteps(const MechanicalProblem& problem, double rho, const Iteration& iteration)
      : c_(generalized_alpha_coefficients(rho)),
        tolerance_(iteration.tolerance),
        stage_(problem, {.form = iteration.form,
                         .split_by_qr = false,
                         .lift_gaps = false,
                         .max_iterations = iteration.limit,
                         .jacobian_every = iteration.frozen ? 0 : 1}) {
    stage_.set_tolerance(in_weights);
  }

  void start(State& s) {
    stage_.start(s.t, s.q());
    phi_ = next_ = Vec::Zero(s.layout.nq);
    weights_ = Vec::Constant(s.y.size(), in_weights / tolerance_);
    restart(s);
  }
  void restart(State& s) {
    stage_.stand_at(s.t, s.q());
    stage_.accelerate(s.q(), s.v(), phi_, s.lambda(), work_);
    a_ = phi_;
  }

  NewtonStats step(State& s, double h) {
    set_alpha_equation(c_, s, h, phi_, a_, stage_.equation);
    s.q() += h * s.v() + 0.5 * h * h * phi_;
    const NewtonStats stats = stage_.solve(s.q(), s.v(), s.lambda(), weights_, false, work_);
    if (!stats.converged) return stats;
    s.t += h;
    stage_.accelerate(s.q(), s.v(), next_, s.lambda(), work_);
    average_acceleration(c_, phi_, next_, a_, a_);
    phi_ = next_;
    return stats;
  }

 private:
  AlphaCoefficients c_;
  double tolerance_;
  ConstrainedStage stage_;
  Vec phi_, next_, a_, weights_;
  Counters work_;
};
}  // namespace

IterationCount count_iterations(const Mechanism& mechanism, double rho, int steps, const Iteration& iteration) {
  const auto problem = ModelRegistry::all().find(mechanism.model).make(mechanism.parameters);
  const auto& mechanics = problem->as<MechanicalProblem>("the alpha method");
  AlphaSteps alpha(mechanics, rho, iteration);
  State s = problem->initial_state();
  ProblemSession session(*problem, Formulas::of_each_state);
  session.enter(s);
  alpha.start(s);
  const double h = mechanism.to / steps;
  IterationCount found;
  bool pending = mechanism.event.has_value();
  for (int i = 0; i < steps; ++i) {
    const NewtonStats stats = alpha.step(s, h);
    found.each_step += (stats.iterations - found.each_step) / (i + 1);
    if (!stats.converged || !s.y.allFinite()) return found;
    if (pending && s.t > *mechanism.event - 1e-9 * h) {
      problem->on_event(0, s);
      session.enter(s);
      alpha.restart(s);
      pending = false;
    }
  }
  found.completed = true;
  found.q = s.q();
  return found;
}

int fewest_steps(const Mechanism& mechanism, double rho, const Iteration& iteration, std::span<const int> tried) {
  for (const int steps : tried)
    if (count_iterations(mechanism, rho, steps, iteration).completed) return steps;
  return 0;
}
}  // namespace trill::papers::ypr98
