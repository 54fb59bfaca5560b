// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "trill/solution/solution.hpp"

#include <optional>

namespace trill {
struct EndValue {
  std::string name, unit;
  QuantityKind kind = QuantityKind::other;
  double value = 0;
};

// By how much something that should not change differed from its start, or from zero if it is a constraint.
struct Drift {
  std::string name, unit;
  double largest = 0;
  std::optional<double> start;  // empty: a constraint
};

// What a reader of numbers wants to know first about a run, from its rows.
struct RunDigest {
  double t_end = 0;
  std::vector<EndValue> measures;    // what the model, the method and the formulation measure of the motion
  std::vector<EndValue> components;  // of the state
  std::vector<Drift> drifts;         // of the energy, and of constraints
  double h_min = 0, h_max = 0;       // steps of the recorded rows; 0: not known
};
// Empty if there are no rows.
std::optional<RunDigest> digest(const RunInfo& info, const RowSource& rows);

// Is the energy constant by the equations? False if that is not known.
bool conserves_energy(const Problem& problem, const State& start, double t_end);
}  // namespace trill
