// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "method/inner_states.hpp"
#include "multiscale/force_levels.hpp"
#include "multiscale/kicked_flow.hpp"
#include "multiscale/resonance.hpp"
#include "trill/base/options.hpp"
#include "trill/method/linear_form.hpp"
#include "trill/method/stepper.hpp"

namespace trill {
// Degree of the polynomials that a solution stores for a step: enough for two oscillations in it.
inline constexpr int kept_degree = 11;

struct ImpulsePlan {
  std::vector<ForceLevel> levels{};        // slowest first
  std::vector<WeightChoice> phi{}, psi{};  // weights for the slow forces; empty: impulses
  Groups averaged = 0;                     // the forces along whose motion averages are taken
  Groups projected = 0;                    // instead of averages, the gaps of these forces are closed
  bool kicks_only = false;                 // the fastest forces are kicks too, with free motion between them
  bool refuses_resonance = false;          // by a run with equal steps
  FlowOptions flow{};
};

// Options of methods with a fast level whose flow is computed by symmetric inner steps.
struct TwoLevelOptions {
  std::string fast;
  int inner = 0;
  int inner_order = 2;
  void two_level_fields(OptionVisitor& v);
  std::vector<ForceLevel> levels(const MechanicalProblem& problem, std::string_view method) const;
  FlowOptions flow() const;
};

// Options of methods with nested kicks.
struct NestedOptions {
  std::string levels;
  bool refuses = true;
  void fields(OptionVisitor& v);
};

void resonance_field(OptionVisitor& v, bool& refuses);

// What impulse, mollified_impulse and respa share: kicks by slow forces, nested to any depth, with one evaluation of
// the slowest force per step.
class ImpulseStepper : public Stepper, public InnerStates {
 public:
  const MethodInfo& info() const override { return info_; }
  void start(State& s, const ErrorScale& scale) override;
  std::string outlook(const State& start, double h) override;
  StepResult step(State& s, const StepRequest& request) override;
  // Scales the kicks with the time in the step and computes the reduced flow again: a polynomial would miss the
  // oscillation.
  void interpolate(double theta, Out y) override;
  // Points inside the last step, which are computed again when they are asked for.
  Index inner_states() const override { return levels_.size() > 1 && h_ != 0 ? points_inside : 0; }
  void inner_state(Index k, Out q, Out v) override;
  std::vector<Quantity> diagnostics() const override;
  void diagnose(Out values) const override;
  std::string summary() const override;
  void refine() override { top_->refine(); }
  void memory(Archive& archive) override;

 protected:
  static SplitForm without_filters();  // kicks by unfiltered forces
  static const MechanicalProblem& accepted(const Problem& problem, const std::string& method);
  ImpulseStepper(MethodInfo info, const MechanicalProblem& problem, const ImpulsePlan& plan);

 private:
  static constexpr Index points_inside = 4096;
  void build(const ImpulsePlan& plan);
  StepResult give_up();
  void warn(double t, double h, Notes& notes) const;
  double inner_angle(double h) const;  // omega tau of the fastest forces
  void watch_inner_steps(const State& s, const StepRequest& request);

  MethodInfo info_;
  const MechanicalProblem& problem_;
  std::vector<ForceLevel> levels_;
  bool steps_given_ = false;  // for the fastest forces
  bool refuses_resonance_ = false;
  std::shared_ptr<KickedFlow> top_, innermost_;
  std::shared_ptr<FastFlow> reduced_;  // the motion by the fastest forces, unless these are kicks
  std::shared_ptr<FastFlow> fast_;     // flow along which the slowest forces are averaged, or else the reduced flow
  Groups averaged_ = 0;                // 0: nothing is averaged
  Groups projected_ = 0;               // 0: nothing is projected
  std::vector<WeightPair> pairs_;      // for the slowest forces
  Resonance resonance_;                // for the first of these pairs
  double unaveraged_frequency_ = 0;
  Vec v0_;  // at the start of the last step
  double phase_error(double t) const;

  double t_first_ = 0;
  int inner_order_ = 2;
  double t0_ = 0, h_ = 0, longest_h_ = 0;  // the last step of a run may be shorter than the others
  bool told_ = false;
  int since_watched_ = 0;
};
}  // namespace trill
