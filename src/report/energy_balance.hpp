// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "trill/problem/problem.hpp"
#include "trill/solution/solution.hpp"

#include <memory>
#include <optional>

namespace trill {
// A quantity of this name says by how much the energy differs from its start, plus the work done, minus the energy
// lost.
inline constexpr const char* balance_name = "energy balance";
inline constexpr const char* work_name = "work done";
inline constexpr const char* lost_name = "energy lost";

// The rows of a run with three quantities more: the work that drivers and outer forces have done on the model, the
// energy that friction has taken, and the balance of the two with the energy. It is zero up to the errors of the run,
// and of an integral over time through the powers at the rows.
struct EnergyBalance {
  RunInfo info;
  std::unique_ptr<RowSource> rows;
};

// Nothing for models that neither lose energy nor are given any, and where it is not known how much: other problems
// than mechanical ones, heat baths, formulations that do not give the whole motion, very many rows, and models that
// change at events whose rows are missing.
std::optional<EnergyBalance> energy_balance(const Problem& problem, const RunInfo& info, const RunOutcome& outcome,
                                            const RowSource& rows);
}  // namespace trill
