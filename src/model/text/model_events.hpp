// SPDX-License-Identifier: BSD-3-Clause
// Events of a text model: those that the file states, and the places where formulas of forces change.
#pragma once

#include "model/text/compiled_model.hpp"

#include <functional>

namespace trill {
using KernelFinder = std::function<Kernel&(const std::optional<FileText>& over)>;
void read_events(CompiledModel& model, const KernelFinder& kernel);

// If there are more switches than this, trill does not look for them; a warning says so.
inline constexpr Index most_switches = 1000;
void find_switches(CompiledModel& model, const ModelFunctions::Kernels& kernels);

// The events of one problem. Switches come after the events of the file.
class TextEvents {
 public:
  explicit TextEvents(const CompiledModel& model);
  std::vector<EventInfo> infos() const;
  double value(int event, const State& s, const ParameterValues& parameters) const;
  void apply(int event, State& s, const ModelMode& mode) const;
  // Times of events that depend on the time alone, so that steps end on them. `s` is any state.
  std::vector<double> times(double t0, double t1, State s, const ParameterValues& parameters) const;
  // The modes of a state at the start: no event has changed anything.
  std::vector<int> modes() const { return std::vector<int>(model_.changing.size() + model_.switches.size(), 0); }
  // Sets the mode for a run that continues from this state.
  void enter(const State& s, Formulas formulas, ModelMode& mode) const;

 private:
  Index mode_place(Index place) const { return static_cast<Index>(model_.changing.size()) + place; }
  ProgramInputs inputs_at(const State& s) const;
  void set_parameters(const State& s, ModelMode& mode) const;
  void hold_formulas(const State& s, ModelMode& mode) const;

  const CompiledModel& model_;
  // Scratch memory, including the switching functions as they were last computed.
  mutable std::vector<VectorRun> when_, changes_;
  mutable VectorRun switching_;
  mutable Vec changed_, switch_values_, switch_state_;
  mutable double switch_time_ = 0;
  mutable std::int64_t switch_version_ = not_prepared;
};
}  // namespace trill
