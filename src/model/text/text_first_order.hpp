// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "model/text/model_events.hpp"
#include "model/text/model_times.hpp"
#include "model/text/text_clock.hpp"
#include "model/text/text_code.hpp"
#include "problem/clocked.hpp"

namespace trill {
// The first-order system y' = f(t, y) that a text model states by its rates.
class TextFirstOrder final : public FirstOrderProblem, public TextCode, public TimeMarked, public Clocked {
 public:
  explicit TextFirstOrder(std::shared_ptr<const CompiledModel> model);
  TextFirstOrder(const TextFirstOrder&) = delete;
  TextFirstOrder& operator=(const TextFirstOrder&) = delete;

  std::string name() const override { return model_->info.name; }
  std::unique_ptr<Problem> clone() const override { return std::make_unique<TextFirstOrder>(model_); }
  Layout layout() const override { return {model_->start.size(), 0, 0, 0}; }
  std::vector<Parameter> parameters() const override { return model_->space->parameters(); }
  std::vector<Quantity> components() const override;
  State initial_state() const override;
  std::string time_unit() const override { return model_->file.time_unit; }

  void rhs(double t, In y, Out dy) const override;
  MatrixSlot jacobian_pattern() const override { return jacobian_.prepare(mode_.parameters()); }
  bool jacobian(double t, In y, MatrixSlot& j) const override;

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
  mutable VectorRun rates_, measures_, closed_form_;
  mutable MatrixRun jacobian_;
};
}  // namespace trill
