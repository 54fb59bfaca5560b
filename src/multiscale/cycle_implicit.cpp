// SPDX-License-Identifier: BSD-3-Clause
// Implicit Runge-Kutta methods on cycle maps, whose last stage is the last cycle of the step, for stiff envelopes.
#include "multiscale/cycle_equations.hpp"
#include "multiscale/cycle_stepper.hpp"
#include "multiscale/cycle_tableau.hpp"
#include "trill/method/registry.hpp"

namespace trill {
namespace {
class CycleImplicit final : public CycleStepper {
 public:
  struct Options : CycleOptions {
    CycleScheme scheme = CycleScheme::radau2;
    CycleSolver solver = CycleSolver::automatic;
    void fields(OptionVisitor& v) {
      v.choice("scheme", scheme,
               {{"euler", CycleScheme::radau1},
                {"next_cycle_euler", CycleScheme::next_cycle_euler},
                {"trapezoid", CycleScheme::trapezoid},
                {"sdirk2", CycleScheme::sdirk2},
                {"radau2", CycleScheme::radau2},
                {"radau3", CycleScheme::radau3},
                {"gauss1", CycleScheme::gauss1},
                {"gauss2", CycleScheme::gauss2},
                {"gauss3", CycleScheme::gauss3}},
               "the method, of order 1, 1, 2, 2, 3, 5, 2, 4 or 6; next_cycle_euler is PJY97 eq. 5.3, for comparison");
      list_solver(v, solver);
      CycleOptions::fields(v);
    }
  };
  static MethodInfo describe(const Options& o) {
    MethodInfo info =
        describe_as("cycle_implicit", "Implicit Runge-Kutta method on cycles", "PJY97 section 5", order_of(o.scheme));
    info.implicit_step = true;
    return info;
  }
  static std::vector<OptionSet> variants() {
    return {{},
            {{"scheme", "euler"}},
            {{"scheme", "trapezoid"}},
            {{"scheme", "sdirk2"}},
            {{"scheme", "radau3"}},
            {{"scheme", "gauss2"}}};
  }
  CycleImplicit(const Problem& map, const Options& options)
      : CycleStepper(describe(options), map, options, stages_of(options.scheme)),
        options_(options),
        at_once_(is_coupled() ? stages_of(options.scheme) : 1),
        equations_(CycleStepper::map(), at_once_, options.solver) {}
  std::unique_ptr<Stepper> clone(const Problem& map) const override {
    return std::make_unique<CycleImplicit>(map, options_);
  }

 private:
  // All stages depend on each other.
  bool is_coupled() const {
    return options_.scheme == CycleScheme::radau2 || options_.scheme == CycleScheme::radau3 ||
           options_.scheme == CycleScheme::gauss2 || options_.scheme == CycleScheme::gauss3;
  }

  void allocate(const ErrorScale&) override {
    const Index stages = stages_of(options_.scheme);
    changes_ = Mat::Zero(size(), stages);
    stages_ = base_ = Mat::Zero(size(), at_once_);
    weights_ = Vec::Zero(size());
    cycles_ = 0;
    forget();
  }
  void forget() override { equations_.forget(); }
  void leave_out(Out error) const override { equations_.leave_out_indifferent(error); }
  void more_memory(Archive& archive) override { archive(equations_); }

  StepStatus attempt(double cycles, Out next, Out error, const StepRequest& request) override {
    if (cycles != cycles_) tableau_ = cycle_tableau(options_.scheme, 1 / cycles);
    cycles_ = cycles;
    request.scale.weights(error_sizes(), weights_);
    Index first = 0;
    if (options_.scheme == CycleScheme::trapezoid) {  // its first stage is the newest point
      if (!find_change(request)) return StepStatus::outside_domain;
      changes_.col(first++) = change_here();
    }
    for (; first < tableau_.c.size(); first += at_once_)
      if (const StepStatus status = solve_stages(first, cycles, request); status != StepStatus::ok) return status;
    next = points().value(0) + changes_ * (cycles * tableau_.b);
    compare_with_past(cycles, next, error, info().order);
    return StepStatus::ok;
  }

  StepStatus solve_stages(Index first, double cycles, const StepRequest& request) {
    const double n = points().n(0);
    base_ = (points().value(0) + changes_.leftCols(first) * (cycles * tableau_.a.row(first).head(first).transpose()))
                .replicate(1, at_once_);
    const Vec at = (n + cycles * tableau_.c.segment(first, at_once_).array()).matrix();
    for (Index i = 0; i < at_once_; ++i) guess(at[i], stages_.col(i));
    equations_.pose(cycles * tableau_.a.block(first, first, at_once_, at_once_), base_, at, request.work);
    const NewtonStats newton = equations_.solve(stages_, weights_);
    request.work.newton_iterations += newton.iterations;
    request.work.factorisations += newton.factorisations;
    if (!newton.converged) return status_of(newton);
    note_effort(equations_.effort());
    for (Index i = 0; i < at_once_; ++i) changes_.col(first + i) = equations_.change(i);
    return StepStatus::ok;
  }

  void guess(double n, Out stage) const {
    points().extrapolate(n, std::min(info().order + 1, points().count()), stage);
  }

  Options options_;
  Index at_once_;  // stages that are solved for together
  CycleEquations equations_;
  CycleTableau tableau_;
  double cycles_ = 0;  // of the tableau
  Mat changes_, stages_, base_;
  Vec weights_;
};
}  // namespace
}  // namespace trill

TRILL_METHOD(cycle_implicit, CycleImplicit)
