// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "linalg/saddle_solver.hpp"
#include "problem/reactive.hpp"
#include "trill/linalg/linear_solver.hpp"

#include <optional>

namespace trill {
// The accelerations of a mechanical system at a state, for measures: M a + G^T lambda = f, G a + eta = 0. They follow
// from positions and velocities alone; forces that depend on multipliers take those of the state. Refers to the
// problem.
class TextAcceleration {
 public:
  TextAcceleration(const MechanicalProblem& problem, const ReactionForces& reactions)
      : problem_(problem), reactions_(reactions) {}
  // Not finite where the equations do not determine them.
  const Vec& at(const State& s);

 private:
  void prepare();
  bool solve(const State& s);

  const MechanicalProblem& problem_;
  const ReactionForces& reactions_;
  std::optional<SaddleSolver> saddle_;    // with constraints
  std::unique_ptr<LinearSolver> solver_;  // without
  MatrixSlot mass_;
  Vec f_, r_, eta_, a_, lambda_;
};
}  // namespace trill
