// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "model/text/text_mechanics.hpp"
#include "trill/problem/langevin.hpp"

namespace trill {
// A text model with a [heat_bath].
class TextLangevin final : public LangevinProblem, public TextCode, public TimeMarked {
 public:
  explicit TextLangevin(std::shared_ptr<const CompiledModel> model);

  const MechanicalProblem& mechanics() const override { return mechanics_; }
  double gamma() const override { return model_->friction; }
  double kT() const override { return model_->temperature; }

  std::string name() const override { return mechanics_.name(); }
  std::unique_ptr<Problem> clone() const override { return std::make_unique<TextLangevin>(model_); }
  Layout layout() const override { return mechanics_.layout(); }
  std::vector<Parameter> parameters() const override { return mechanics_.parameters(); }
  std::vector<Quantity> components() const override { return mechanics_.components(); }
  State initial_state() const override { return mechanics_.initial_state(); }
  std::string time_unit() const override { return mechanics_.time_unit(); }
  std::vector<EventInfo> events() const override { return mechanics_.events(); }
  double event_value(int event, const State& s) const override { return mechanics_.event_value(event, s); }
  void on_event(int event, State& s) const override { mechanics_.on_event(event, s); }
  std::vector<double> breakpoints(double t0, double t1) const override { return mechanics_.breakpoints(t0, t1); }
  std::vector<TimeMark> time_marks(double t0, double t1) const override { return mechanics_.time_marks(t0, t1); }

  // In equilibrium the mean of the first quantity is kT.
  std::vector<Quantity> quantities() const override;
  void measure(const State& s, Out values) const override;

 private:
  void enter(const State& s, Formulas formulas) const override { mechanics_.enter(s, formulas); }
  void leave() const noexcept override { mechanics_.leave(); }
  const CompiledModel& compiled() const override { return *model_; }
  std::shared_ptr<const CompiledModel> model_;
  TextMechanics mechanics_;
  mutable Vec measured_;
};
}  // namespace trill
