// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "multiscale/cycle_trace.hpp"
#include "trill/driver/plan.hpp"
#include "trill/driver/trust.hpp"

namespace trill {
// The period must have two points or more.
std::vector<SteadySignal> signals_of(const CycleTrace& period, const std::vector<Quantity>& components, int harmonics);

// The largest differences between the figures of two steady states.
TrustRow compare_figures(const SteadySignal& a, const SteadySignal& b, bool with_extremes);
// Replaces rows that are off because of peaks too short to be computed alike, and says which ones they are.
struct SteadyFigures {
  const CycleTrace& period;
  const std::vector<SteadySignal>& signals;
};
std::string judge_without_short_peaks(const SteadyFigures& run, const SteadyFigures& again,
                                      std::vector<TrustRow>& rows);

// Fills powers, load and efficiency of a circuit from a netlist; does nothing for other problems. load: the name of a
// resistor; empty: the one called rl or whose name begins with rload or rout, if there is one.
void fill_powers(SteadyState& steady, const Problem& problem, const CycleTrace& period, const std::string& load);
void check_load(const Problem& problem, const std::string& load);  // UsageError for an unknown name

// The sentences of the summary.
std::vector<std::string> steady_sentences(const SteadyState& steady, const std::string& time_unit);
}  // namespace trill
