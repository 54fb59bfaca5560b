// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "multiscale/cycle_trace.hpp"
#include "trill/driver/plan.hpp"

namespace trill {
// One column for each harmonic, one row for each signal: peak amplitudes. Between points signals are straight lines.
Mat harmonic_amplitudes(const CycleTrace& period, int count);

std::vector<SteadySignal> signals_of(const CycleTrace& period, const std::vector<Quantity>& components, int harmonics);

// Fills powers, load and efficiency of a circuit from a netlist; does nothing for other problems. load: the name of a
// resistor; empty: the one whose name begins with rload or rout, else the one that takes up the most power. UsageError
// for an unknown name.
void fill_powers(SteadyState& steady, const Problem& problem, const CycleTrace& period, const std::string& load);
void check_load(const Problem& problem, const std::string& load);

// The sentences of the summary.
std::vector<std::string> steady_sentences(const SteadyState& steady, const std::string& time_unit);
}  // namespace trill
