// SPDX-License-Identifier: BSD-3-Clause
// One step of the alpha family for mechanical systems with or without constraints: YPR98 eq. 3.3 to 3.7, PJY97
// sec. 3.5.
#pragma once

#include "formulation/constraint_formulation.hpp"
#include "formulation/dropped_oscillation.hpp"
#include "formulation/prospect.hpp"
#include "method/alpha_coefficients.hpp"
#include "method/energy_balance.hpp"
#include "trill/method/registry.hpp"

namespace trill {
// Options shared by all members of the family.
struct AlphaOptions {
  ConstraintForm formulation = ConstraintForm::index2;
  bool split_by_qr = false;
  bool multipliers_of_stage = false;
  bool lift_gaps = true;
  bool starts_slow = false;
  int iterations = 10;
  void fields(OptionVisitor& v);
  StageOptions stage() const;
};

// YPR98 eq. 3.3 with the signs of Chung and Hulbert; kinematics and dynamics are combined so that q follows from v. phi
// and a are the true and the averaged acceleration at the start of the step.
void set_alpha_equation(const AlphaCoefficients& c, const State& s, double h, In phi, In a, StageEquation& e);
// a at the end of the step: (1 - alpha_m) a1 + alpha_m a0 = (1 - alpha_f) phi1 + alpha_f phi0.
void average_acceleration(const AlphaCoefficients& c, In phi0, In phi1, In a0, Out a1);

class AlphaStepper : public Stepper {
 public:
  AlphaStepper(const Problem& problem, const MethodInfo& info, const AlphaCoefficients& coefficients,
               const AlphaOptions& options);
  const MethodInfo& info() const override { return info_; }
  void start(State& s, const ErrorScale& scale) override;
  double initial_step(const State& s, const ErrorScale& scale, double h_max, Counters& work) override;
  StepResult step(State& s, const StepRequest& request) override;
  void interpolate(double theta, Out y) override;
  std::vector<Quantity> diagnostics() const override { return balance_.diagnostics(); }
  void diagnose(Out values) const override { balance_.diagnose(values); }
  std::string summary() const override { return balance_.summary(); }
  void conclude(double t, Notes& notes) const override { balance_.conclude(t, notes); }
  void memory(Archive& archive) override;

 private:
  void find_acceleration(State& s, Counters& work);
  NewtonStats solve(const State& s, const StepRequest& request);
  bool finish_acceleration();
  double estimate(const State& s, double h, const StepRequest& request);

  const MechanicalProblem& p_;
  MethodInfo info_;
  AlphaCoefficients c_;
  AlphaOptions options_;
  bool closes_acceleration_;  // phi and lambda are computed from the constraints on accelerations
  ConstrainedStage stage_;
  EnergyBalance balance_;
  OscillationAtStart oscillation_;
  // True (phi) and averaged (a) acceleration at the start of the step, and at its end (phi1, a1); a0: a rescaled to h.
  Vec phi_, a_, phi1_, a1_, a0_;
  Vec change_, last_change_;  // change of a over this step and over the one before
  Vec trial_, y0_, y1_, error_, filtered_;
  double h_ = 0, t1_ = 0;  // size and end of the last step; h_ = 0: there is none yet
};

// Member is one method: a struct of its own options with a name, a title, a reference, coefficients() and variants().
template <class Member>
class AlphaMethod final : public AlphaStepper {
 public:
  struct Options : Member, AlphaOptions {
    void fields(OptionVisitor& v) {
      Member::fields(v);
      AlphaOptions::fields(v);
    }
  };
  static std::vector<OptionSet> variants() { return Member::variants(); }
  static MethodInfo describe(const Options& options) {
    return {.name = Member::name,
            .title = Member::title,
            .reference = Member::reference,
            .accepts = {.mechanical = true, .constrained = true},
            .order = options.coefficients().order(),
            .order_lambda = options.coefficients().order(),
            .error_order = 2,
            .dense_order = 2,
            .implicit_step = true,
            .symmetric = options.coefficients().is_trapezoidal(),
            .p_stable = options.coefficients().is_trapezoidal(),
            .area_preserving = options.coefficients().is_trapezoidal(),
            .multistep = !options.coefficients().is_trapezoidal(),
            .keeps_matrix = true};
  }
  static Prospect advise(const ProblemFacts& facts, const Question& question) {
    return Member::advise(facts, question);
  }
  AlphaMethod(const Problem& problem, const Options& options)
      : AlphaStepper(problem, describe(options), options.coefficients(), options), own_(options) {}
  std::unique_ptr<Stepper> clone(const Problem& problem) const override {
    return std::make_unique<AlphaMethod>(problem, own_);
  }

 private:
  Options own_;
};
}  // namespace trill
