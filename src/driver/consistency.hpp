// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "trill/driver/driver.hpp"
#include "trill/problem/mechanical.hpp"

#include <optional>

namespace trill {
// Why a run cannot continue from this state: a sentence if positions or velocities do not satisfy the hard constraints,
// otherwise "".
std::string leaves_constraints(const Problem& problem, const State& state);

// What happens to a motion when the formulas of constraints switch; a step ends there. Constraints must not jump. If
// their rates jump, velocities change by an impulse along the constraints; multipliers may always jump.
class ConstraintSwitch {
 public:
  ConstraintSwitch(const Problem& problem, const State& before);  // with the formulas before the switch
  // With the formulas after the switch. Returns why the motion cannot continue, or "".
  std::string follow(State& after, Notes& notes) const;

 private:
  const Problem& problem_;
  const MechanicalProblem* mechanics_;  // nullptr: no constraints
  Vec before_;
  std::optional<Vec> multipliers_;  // before the switch
};

// Solves for the unknowns of a circuit that follow from its algebraic equations, with the charges of this state.
// Returns why that is not possible, or "".
std::string settle_charges(const Problem& problem, State& s);

// Which unknown of a circuit changes fastest where a run failed, and what may be the cause; "" for other problems.
std::string fastest_unknown(const Problem& problem, const State& state);

// A notice if a run ends far off its constraints.
std::vector<Notice> drift_of(const Problem& problem, const State& state);

// Names the constraints that have become dependent at a state where a run failed, or "".
std::string singular_position(const Problem& problem, const State& state, const State& start);

// UsageError for a start that has the wrong size or is not finite, for constraints that are redundant or contradict
// each other, for motions without inertia and for starts far off the constraints. A start near them is moved onto them.
std::vector<Notice> settle_start(const Problem& problem, State& s, double t_end);
// UsageError for output times that are not strictly ordered in the direction of the run.
void check_output(const Output& output, double t0, double direction);
}  // namespace trill
