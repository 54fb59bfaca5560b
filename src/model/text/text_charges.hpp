// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "model/text/model_events.hpp"
#include "model/text/model_times.hpp"
#include "model/text/text_clock.hpp"
#include "model/text/text_code.hpp"
#include "problem/consistent_charges.hpp"

namespace trill {
// Rates beside algebraic equations, and rates of expressions, as a text model states them: d/dt charge(x) = rate(t, x)
// with rows without charge for the algebraic equations.
class TextCharges final : public CircuitProblem, public TextCode, public TimeMarked {
 public:
  explicit TextCharges(std::shared_ptr<const CompiledModel> model);
  TextCharges(const TextCharges&) = delete;
  TextCharges& operator=(const TextCharges&) = delete;

  std::string name() const override { return model_->info.name; }
  std::unique_ptr<Problem> clone() const override { return std::make_unique<TextCharges>(model_); }
  Layout layout() const override { return {model_->start.size(), 0, 0, 0}; }
  std::vector<Parameter> parameters() const override { return model_->space->parameters(); }
  std::vector<Quantity> components() const override;
  State initial_state() const override;
  std::string time_unit() const override { return model_->file.time_unit; }

  void charge(In x, Out c) const override;
  void current(double t, In x, Out i) const override;
  MatrixSlot jacobian_pattern() const override { return pattern_; }
  void jacobians(double t, In x, MatrixSlot& dcharge, MatrixSlot& dcurrent) const override;
  std::string equation_name(Index k) const override;
  const FileValue& equation(Index k) const;  // its place in the file
  std::optional<double> clock_period() const override {
    return shortest_period(*model_, model_->space->parameter_values());
  }

  std::vector<EventInfo> events() const override { return events_.infos(); }
  double event_value(int event, const State& s) const override { return events_.value(event, s, mode_.parameters()); }
  void on_event(int event, State& s) const override { events_.apply(event, s, mode_); }
  std::vector<double> breakpoints(double t0, double t1) const override {
    return events_.times(t0, t1, initial_state(), mode_.parameters());
  }
  std::vector<TimeMark> time_marks(double t0, double t1) const override {
    return find_time_marks(*model_, mode_.parameters().values, t0, t1);
  }

  std::vector<Quantity> quantities() const override { return model_->measures; }
  void measure(const State& s, Out values) const override;
  bool exact(double t, Out y) const override;

 private:
  void enter(const State& s, Formulas formulas) const override { events_.enter(s, formulas, mode_); }
  void leave() const noexcept override { mode_.reset(); }
  const CompiledModel& compiled() const override { return *model_; }

  std::shared_ptr<const CompiledModel> model_;
  mutable ModelMode mode_;  // set by a run; the other mutable members are scratch memory
  TextEvents events_;
  mutable VectorRun charges_, rates_, measures_, closed_form_;
  mutable MatrixRun charge_jacobian_, rate_jacobian_;
  MatrixSlot pattern_;
};

// The start that the file gives is a guess for everything that follows from the algebraic equations: the model's start
// is replaced by consistent values. ModelError at the equation to blame if there are none.
std::unique_ptr<TextCharges> make_text_charges(const std::shared_ptr<CompiledModel>& model);
}  // namespace trill
