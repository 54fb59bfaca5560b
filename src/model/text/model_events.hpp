// SPDX-License-Identifier: BSD-3-Clause
// Events of a text model: those that the file states, and the places where formulas of forces change.
#pragma once

#include "model/text/compiled_model.hpp"

#include <functional>

namespace trill {
using KernelFinder = std::function<Kernel&(const std::optional<FileText>& over)>;
void read_events(CompiledModel& model, const KernelFinder& kernel);

// More switches than this are not looked for; a warning says so.
inline constexpr Index most_switches = 1000;
void find_switches(CompiledModel& model, const ModelFunctions::Kernels& kernels);

// The events of one problem. Switches come after the events of the file.
class TextEvents {
 public:
  explicit TextEvents(const CompiledModel& model);
  std::vector<EventInfo> infos() const;
  double value(int event, const State& s, std::span<const double> parameters) const;
  void apply(int event, State& s, std::span<const double> parameters) const;
  // Of events that depend on the time alone, so that steps end on them. `s` is any state.
  std::vector<double> times(double t0, double t1, State s, std::span<const double> parameters) const;
  // Of a state at the start: no event has changed anything.
  std::vector<int> modes() const { return std::vector<int>(model_.changing.size() + model_.switches.size(), 0); }
  // The parameters as the events have left them.
  void set_parameters(const State& s, std::vector<double>& parameters) const;
  void forget_parameters();
  void hold(bool held) const;
  // Formulas that no event has changed are those of the state, which may stand on a switch: then either.
  void hold_formulas_of(const State& s, std::span<const double> parameters) const;
  const HeldFormulas& held() const { return held_; }
  // A formula may have no value beyond the switch, such as a root: then the formulas there are taken for once.
  template <class Evaluate>
  void evaluate(Evaluate function, const Out& values) const {
    function();
    if (!holds_ || values.allFinite()) return;
    const HeldFormulas held = held_;
    held_.release();
    function();
    held_.restore(held);
  }

 private:
  Index mode_place(Index place) const { return static_cast<Index>(model_.changing.size()) + place; }
  ProgramInputs inputs_at(const State& s) const;

  const CompiledModel& model_;
  mutable std::vector<VectorRun> when_, changes_;
  mutable VectorRun switching_;
  mutable Vec changed_, switch_values_, switch_state_;
  mutable double switch_time_ = 0;
  mutable HeldFormulas held_;
  mutable bool holds_ = false;
};
}  // namespace trill
