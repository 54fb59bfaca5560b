// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "driver/steady_options.hpp"
#include "multiscale/circuit_cycle.hpp"
#include "multiscale/multipliers.hpp"
#include "trill/driver/plan.hpp"
#include "trill/problem/model_registry.hpp"

#include <atomic>

namespace trill {
// What a search has found so far, with the reason if that is not a steady state.
struct SteadyFound {
  RunStatus status = RunStatus::reached_end;
  std::string message;
  SteadyState state;
  State start;
  Vec swings;  // in the guess for an oscillator
  CycleTrace period;
  Counters work;
  double rtol = 0;  // of the cycles
  FastOscillation fast;
  bool ran_out_of_steps = false;
  long rounded = 0;  // see CycleCounts
};

// A steady state that is computed again, in steps that are at most this share as long.
struct KnownSteadyState {
  const State& start;
  const std::vector<SteadySignal>& signals;
  double longest_share = 1;
};

struct SteadyTask {
  const Problem& problem;
  const CircuitProblem& circuit;  // the same problem, or its rates as those of charges
  const RunPlan& plan;            // with rtol
  const RunDefaults& defaults;
  const SteadyOptions& options;
  bool may_loosen;               // the tolerance, where cycles would take very many steps
  std::optional<double> period;  // empty: it is an oscillator
  const std::atomic<bool>* stop;
  const KnownSteadyState* known;
};

// A steady state by shooting from the first cycles, or from a transient for an oscillator; on failure from farther away
// and with other tolerances.
SteadyFound find_steady_state(const SteadyTask& task);

// With more steps the usual tolerance counts as too tight.
inline constexpr long most_steps_of_usual_cycle = 20'000;

// The place of a component; -1 if no name is given.
Index find_signal(const Problem& problem, const std::string& name);
}  // namespace trill
