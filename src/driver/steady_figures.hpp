// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "multiscale/cycle_trace.hpp"
#include "trill/driver/plan.hpp"
#include "trill/driver/trust.hpp"

#include <map>

namespace trill {
// The period must have two points or more.
std::vector<SteadySignal> signals_of(const CycleTrace& period, const std::vector<Quantity>& components, int harmonics);

// The largest absolute value of all signals with a unit.
std::map<std::string, double> largest_of_units(const std::vector<SteadySignal>& signals);
// Nothing is judged below these sizes of the signals: what the problem says, or a small share of the largest value with
// the same unit.
Vec least_sizes(const Problem& problem, const std::vector<SteadySignal>& signals);
// The largest differences between the figures of two steady states, and the size of the second one.
TrustRow compare_figures(const SteadySignal& a, const SteadySignal& b, double least);
// Why a motion is not the oscillation without a clock that it was taken for; "": it may be one.
std::string doubt_of_oscillation(const SteadyState& state);
struct SteadyFigures {
  const CycleTrace& period;
  const std::vector<SteadySignal>& signals;
};
// The same for all signals; means are compared with what the second one is without short peaks.
std::vector<TrustRow> compare_steady(const std::vector<SteadySignal>& run, const SteadyFigures& again,
                                     const Vec& least);
// Replaces rows that are off because of peaks too short to be computed alike, and says which ones they are.
std::string judge_without_short_peaks(const SteadyFigures& run, const SteadyFigures& again, const Vec& least,
                                      std::vector<TrustRow>& rows);

// Fills powers, load and efficiency of a circuit from a netlist; does nothing for other problems. load: the name of a
// resistor; empty: the one called rl or whose name begins with rload or rout, if there is one.
void fill_powers(SteadyState& steady, const Problem& problem, const CycleTrace& period, const std::string& load);
void check_load(const Problem& problem, const std::string& load);  // UsageError for an unknown name

// The sentences of the summary.
std::vector<std::string> steady_sentences(const SteadyState& steady, const std::string& time_unit);
}  // namespace trill
