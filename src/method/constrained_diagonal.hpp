// SPDX-License-Identifier: BSD-3-Clause
// Diagonally implicit Runge-Kutta methods for constrained mechanical systems. Each stage is solved in one of those
// formulations of ConstrainedStage that have constraints on velocities.
#pragma once

#include "formulation/constraint_formulation.hpp"
#include "trill/method/registry.hpp"

namespace trill {
struct DiagonalTableau {
  Mat a;
  Vec b, c;
  Vec error;               // weights of h y' at the start of the step and at the stages; empty: no estimate
  bool ends_with_a_stage;  // the last row of a is b, so the end of a step is on the constraints
  Vec start = {};          // weights of the slope at the start of the step in the stages; empty: none
};

class ConstrainedDiagonal final : public Stepper {
 public:
  ConstrainedDiagonal(const Problem& problem, const MethodInfo& info, const DiagonalTableau& tableau,
                      ConstraintForm formulation);
  const MethodInfo& info() const override { return info_; }
  void start(State& s, const ErrorScale& scale) override;
  double initial_step(const State& s, const ErrorScale& scale, double h_max, Counters& work) override;
  StepResult step(State& s, const StepRequest& request) override;
  void interpolate(double theta, Out y) override;
  void memory(Archive& archive) override;
  std::unique_ptr<Stepper> clone(const Problem& problem) const override;

 private:
  NewtonStats solve(Index i, const State& s, const StepRequest& request, bool reuse);
  bool finish(const State& s, double h, Counters& work);
  void find_acceleration(In q, In v, Counters& work);
  double estimate(const State& s, double h, const StepRequest& request);

  const MechanicalProblem& p_;
  MethodInfo info_;
  DiagonalTableau tableau_;
  ConstraintForm formulation_;
  ConstrainedStage stage_;
  Index n_, m_;
  Mat k_;            // slopes of (q, v) at the start of the step and at the stages
  Vec slope_, end_;  // slope of (q, v) at the start of the step and at its end
  Vec trial_, y0_, y1_, first_, error_, part_, acceleration_;
  double h_ = 0, t1_ = 0;
};

// Registers a method whose class S has, in addition to what add_method() needs, a static constrained(problem, options)
// that makes the stepper for problems with constraints.
template <class S>
void add_method_with_constraints(Catalogue& catalogue) {
  Catalogue own;
  add_method<S>(own);
  MethodEntry entry = own.methods().front();
  entry.make = [free = entry.make, name = entry.info.name](const Problem& problem,
                                                           const OptionSet& given) -> std::unique_ptr<Stepper> {
    const auto* mechanical = dynamic_cast<const MechanicalProblem*>(&problem);
    if (!mechanical || !mechanical->constraints()) return free(problem, given);
    return S::constrained(problem, read_options<typename S::Options>(given, name));
  };
  catalogue.add(std::move(entry));
}
}  // namespace trill
