// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "model/text/text_mechanics.hpp"

namespace trill {
// A problem of another kind around the mechanics of a text model: what it has from them, whatever it adds.
template <class Kind>
class AroundMechanics : public Kind, public TextCode, public TimeMarked, public LimitedValidity {
 public:
  explicit AroundMechanics(std::shared_ptr<const CompiledModel> model) : model_(std::move(model)), mechanics_(model_) {}

  const MechanicalProblem& mechanics() const override { return mechanics_; }
  std::string name() const override { return mechanics_.name(); }
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
  bool has_limits() const override { return mechanics_.has_limits(); }
  std::string check_validity(const State& s, Notes& notes) const override {
    return mechanics_.check_validity(s, notes);
  }
  std::vector<Quantity> quantities() const override { return mechanics_.quantities(); }
  void measure(const State& s, Out values) const override { mechanics_.measure(s, values); }

 protected:
  std::shared_ptr<const CompiledModel> model_;
  TextMechanics mechanics_;

 private:
  void enter(const State& s, Formulas formulas) const override { mechanics_.enter(s, formulas); }
  void leave() const noexcept override { mechanics_.leave(); }
  const CompiledModel& compiled() const override { return *model_; }
};
}  // namespace trill
