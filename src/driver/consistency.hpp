// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "trill/driver/driver.hpp"
#include "trill/problem/mechanical.hpp"

#include <optional>

namespace trill {
// What keeps a run from going on from this state: a sentence when positions or velocities do not satisfy the hard
// constraints, or "".
std::string leaves_constraints(const Problem& problem, const State& state);

// What a switch in the formulas of constraints does to a motion: a step ends there. Constraints must not jump; where
// their rates do, velocities follow as an impulse along the constraints makes them; multipliers may always.
class ConstraintSwitch {
 public:
  ConstraintSwitch(const Problem& problem, const State& before);  // with the formulas before it
  // With the formulas behind it. What keeps the motion from going on, or "".
  std::string follow(State& after, Notes& notes) const;

 private:
  const Problem& problem_;
  const MechanicalProblem* mechanics_;  // nullptr: no constraints
  Vec before_;
  std::optional<Vec> multipliers_;  // before the switch
};

// A doubt where a run ends far off its constraints.
std::vector<Notice> drift_of(const Problem& problem, const State& state);

// Names the constraints that have become dependent at a state where a run failed, or "".
std::string singular_position(const Problem& problem, const State& state, const State& start);

// UsageError for a start that has another size or is not finite, for constraints that are redundant or contradict each
// other, for motions without inertia and for starts far off the constraints. A start near them is moved onto them.
std::vector<Notice> settle_start(const Problem& problem, State& s, double t_end);
// UsageError for output times that do not follow the run.
void check_output(const Output& output, double t0, double direction);
}  // namespace trill
