// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "model/text/model_events.hpp"
#include "model/text/model_times.hpp"
#include "model/text/text_acceleration.hpp"
#include "model/text/text_clock.hpp"
#include "model/text/text_code.hpp"
#include "model/text/text_joint.hpp"
#include "problem/clocked.hpp"
#include "problem/named_gaps.hpp"
#include "problem/reactive.hpp"
#include "problem/validity.hpp"

namespace trill {
// The mechanical system that a text model states.
class TextMechanics final : public MechanicalProblem,
                            public ReactionForces,
                            public JointModel,
                            public TextCode,
                            public TimeMarked,
                            public Clocked,
                            public NamedGaps,
                            public LimitedValidity {
 public:
  explicit TextMechanics(std::shared_ptr<const CompiledModel> model);
  TextMechanics(const TextMechanics&) = delete;
  TextMechanics& operator=(const TextMechanics&) = delete;

  std::string name() const override { return model_->info.name; }
  std::unique_ptr<Problem> clone() const override { return std::make_unique<TextMechanics>(model_); }
  Layout layout() const override { return {unknowns(), unknowns(), model_->functions->count(of_constraints), 0}; }
  std::vector<Parameter> parameters() const override { return model_->space->parameters(); }
  std::vector<Quantity> components() const override;
  State initial_state() const override;
  std::string time_unit() const override { return model_->file.time_unit; }

  std::vector<EventInfo> events() const override { return events_.infos(); }
  double event_value(int event, const State& s) const override { return events_.value(event, s, mode_.parameters()); }
  void on_event(int event, State& s) const override { events_.apply(event, s, mode_); }
  std::vector<double> breakpoints(double t0, double t1) const override {
    return events_.times(t0, t1, initial_state(), mode_.parameters());
  }
  std::vector<TimeMark> time_marks(double t0, double t1) const override {
    return find_time_marks(*model_, mode_.parameters().values, t0, t1);
  }

  std::optional<double> drive_period() const override {
    return shortest_period(*model_, model_->space->parameter_values());
  }

  MassKind mass_kind() const override { return mass_kind_; }
  MatrixSlot mass_pattern() const override;
  void mass(In q, MatrixSlot& m) const override;
  void mass_product_derivative(In q, In w, MatrixSlot& d) const override;

  std::vector<GroupInfo> groups() const override { return model_->groups; }
  void force(Groups groups, double t, In q, In v, Out f) const override;
  std::unique_ptr<ForceBlock> join(std::span<const MechanicalProblem* const> copies) const override;
  MatrixSlot stiffness_pattern() const override { return prepare(&ForceRuns::by_position); }
  MatrixSlot damping_pattern() const override { return prepare(&ForceRuns::by_velocity); }
  bool force_jacobian(Groups groups, double t, In q, In v, MatrixSlot& dq, MatrixSlot& dv) const override;
  bool force_product(Groups groups, double t, In q, In v, In dq, Out df) const override;
  bool force_derivative(Groups groups, int k, const Motion& motion, Out df) const override;
  bool mass_derivative(int k, const Motion& motion, MatrixSlot& dm) const override;
  bool mass_along(In q, In dq, MatrixSlot& dm) const override;
  bool linear_force(Groups groups) const override;
  bool velocity_dependent(Groups groups) const override;
  Drag drag(Groups groups) const override;
  std::optional<double> potential(Groups groups, double t, In q) const override;
  const ConstraintMap* constraints() const override { return constraints_.count() > 0 ? &constraints_ : nullptr; }
  const StrongPotential* strong_potential() const override { return gaps_.count() > 0 ? &strong_ : nullptr; }
  const std::vector<Groups>& group_of_gap() const override { return model_->group_of_gap; }
  std::unique_ptr<JointTerms> joint_terms(Groups groups, const ConstraintMap& map) const override;

  bool has_reaction_forces() const override { return model_->has_reactions; }
  void reaction_force(double t, In q, In v, In lambda, Out r) const override;
  Patterns reaction_patterns() const override;
  void reaction_jacobians(double t, In q, In v, In lambda, Patterns& into) const override;

  double kinetic_energy(const State& s) const;
  std::vector<Quantity> quantities() const override;
  void measure(const State& s, Out values) const override;
  bool exact(double t, Out y) const override;
  bool has_limits() const override { return !model_->small.empty() || !model_->slow_spins.empty(); }
  std::string check_validity(const State& s, Notes& notes) const override;

 private:
  template <class Kind>
  friend class AroundMechanics;
  void enter(const State& s, Formulas formulas) const override { events_.enter(s, formulas, mode_); }
  void leave() const noexcept override { mode_.reset(); }
  const CompiledModel& compiled() const override { return *model_; }
  // The functions of one group of forces, or of all groups together.
  struct ForceRuns {
    ForceRuns(const ModelFunctions& functions, int selection, const HeldFormulas& held);
    VectorRun energy, force, product;
    std::array<VectorRun, most_time_derivatives> derivatives;
    MatrixRun by_position, by_velocity;
  };
  Index unknowns() const { return model_->start.size(); }
  bool has_kinetic_terms() const;
  MatrixSlot prepare(MatrixRun ForceRuns::*matrix) const;
  // Uses every wanted group separately, unless all are wanted: these have functions of their own.
  template <class Use>
  void each(Groups wanted, Use use) const {
    if ((wanted & known_) == known_) return use(all_);
    for (std::size_t g = 0; g < groups_.size(); ++g)
      if (wanted >> g & 1) use(groups_[g]);
  }
  bool any(Groups wanted, const std::vector<bool>& facts, bool value) const;

  std::shared_ptr<const CompiledModel> model_;
  mutable ModelMode mode_;  // set by a run; the other mutable members are scratch memory
  MassKind mass_kind_;
  Groups known_;
  TextEvents events_;
  mutable std::vector<ForceRuns> groups_;
  mutable ForceRuns all_;
  mutable VectorRun kinetic_energy_, measures_, closed_form_, reaction_;
  mutable MatrixRun reaction_by_position_, reaction_by_velocity_, reaction_by_multiplier_;
  mutable MatrixRun mass_, mass_product_, mass_along_;
  mutable std::array<MatrixRun, most_time_derivatives> mass_derivatives_;
  TextMap gaps_, constraints_;
  StrongPotential strong_;
  mutable std::optional<TextAcceleration> acceleration_;  // if measures depend on it
};
}  // namespace trill
