// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "multiscale/fast_flow.hpp"

namespace trill {
// Which forces act at which step of a nested method, and how options write that.

// "bonds+angles" -> the bits of those groups; UsageError with the names there are.
Groups named_groups(const MechanicalProblem& problem, std::string_view text, std::string_view method);
std::string names_of(const MechanicalProblem& problem, Groups groups);

// Forces of which nothing is said: one kind only, and no strong potential behind them.
bool undivided(const MechanicalProblem& problem);

struct ForceLevel {
  Groups groups = 0;
  int steps = 1;  // in one step of the level before; 0: by the frequency of its forces
};

// "torsions+pairs, angles/2, bonds/5": slowest first; bonds make 5 steps in one of angles, which make 2 in a step of
// the method. Groups that are not named join the first level. Empty: slow and fast forces of the model.
std::vector<ForceLevel> read_levels(const MechanicalProblem& problem, const std::string& text, std::string_view method);

// "short*long", or by groups "torsions=short,pairs=lin": the forces that share a weight, and it.
struct WeightChoice {
  std::string groups;  // empty: all others
  Weight weight;
};
std::vector<WeightChoice> read_weights(const std::string& text);

struct SlowForce {
  Groups groups = 0;
  WeightPair pair;
};
// The slow forces of one level, those with the same pair together.
std::vector<SlowForce> slow_forces(const MechanicalProblem& problem, Groups slow, const std::vector<WeightChoice>& phi,
                                   const std::vector<WeightChoice>& psi, std::string_view method);
}  // namespace trill
