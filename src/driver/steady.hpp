// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "driver/resolve.hpp"
#include "driver/steady_search.hpp"
#include "multiscale/rates_as_charges.hpp"

namespace trill {
// The search for the periodic steady state of a problem: with the period of its sources, or as an oscillator.
class SteadyRun {
 public:
  // UsageError if the problem is neither.
  // Cycles get the rtol of the plan; if it has none, a tight one, or a looser one where that takes very many steps.
  SteadyRun(const Problem& problem, RunPlan plan, const RunDefaults& defaults);
  // One period as a solution, to the recorder of the run too; fills run.steady_state.
  Solution run(PreparedRun& run) const;
  // Computes the steady state again, more accurately, and compares the figures of all signals.
  Trust check(const PreparedRun& run) const;
  const RunDefaults& defaults() const { return defaults_; }
  double rtol() const { return *plan_.rtol; }
  const SteadyOptions& options() const { return options_; }
  std::string description() const;  // what is done, in one sentence

 private:
  SteadyFound find(const std::atomic<bool>* stop, const KnownSteadyState* known) const;
  void take_card();
  std::optional<double> period_of_sources() const;
  const CircuitProblem& circuit() const;
  std::unique_ptr<Problem> problem_;
  std::unique_ptr<RatesAsCharges> rates_;  // the problem, if it is not a circuit already
  RunPlan plan_;
  RunDefaults defaults_;
  SteadyOptions options_;
  bool may_loosen_;               // where cycles would take very many steps: the user gave no tolerance
  std::optional<double> period_;  // empty: it is an oscillator
  std::string left_out_;          // sources that do not repeat after a given period
};

PreparedRun prepare_steady(const Resolved& asked, std::unique_ptr<Problem> problem);
}  // namespace trill
