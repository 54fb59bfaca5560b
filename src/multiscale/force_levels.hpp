// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "multiscale/fast_flow.hpp"
#include "problem/group_names.hpp"

namespace trill {
// Which forces act at which step of a nested method, and how this is written in options.

// The model does not say which forces are fast: all are of one kind, and there is no strong potential.
bool undivided(const MechanicalProblem& problem);

struct ForceLevel {
  Groups groups = 0;
  int steps = 1;  // steps in one step of the previous level; 0: chosen from the frequency of its forces
};

// "torsions+pairs, angles/2, bonds/5": slowest first; bonds make 5 steps in one of angles, which make 2 in a step of
// the method. Groups that are not named are added to the first level. Empty: the model's slow and fast forces. In
// "bonds+angles:8, pair:1" each number counts steps in one step of the method, in any order.
std::vector<ForceLevel> read_levels(const MechanicalProblem& problem, const std::string& text, std::string_view method);

// "short*long", or by groups "torsions=short,pairs=lin": the forces that share a weight, and that weight.
struct WeightChoice {
  std::string groups;  // empty: all others
  Weight weight;
};
std::vector<WeightChoice> read_weights(const std::string& text);

struct SlowForce {
  Groups groups = 0;
  WeightPair pair;
};
// The slow forces of one level; those with the same pair of weights are combined.
std::vector<SlowForce> slow_forces(const MechanicalProblem& problem, Groups slow, const std::vector<WeightChoice>& phi,
                                   const std::vector<WeightChoice>& psi, std::string_view method);
}  // namespace trill
