// SPDX-License-Identifier: BSD-3-Clause
// The generalized alpha method with full control over Newton's iteration: the form of the constraints, the maximum
// number of iterations, and whether the matrix is renewed. Used for the largest steps in YPR98 tables 1 and 2.
#pragma once

#include "formulation/constraint_formulation.hpp"
#include "trill/problem/model_registry.hpp"

#include <optional>
#include <span>

namespace trill::papers::ypr98 {
struct Iteration {
  ConstraintForm form = ConstraintForm::index2;
  int limit = 10;
  bool frozen = false;  // one matrix, formed at the guess, for all iterations of a step
  double tolerance = 1e-7;
};

inline const char* matrix_kind(bool frozen) { return frozen ? "frozen" : "full"; }

struct Mechanism {
  std::string model;
  OptionSet parameters;
  double to;
  std::optional<double> event = std::nullopt;  // time of the model's first event
};

struct IterationCount {
  bool completed = false;
  double each_step = 0;  // iterations per step, over the steps made before one failed
  Vec q;                 // at the end
};
IterationCount count_iterations(const Mechanism& mechanism, double rho, int steps, const Iteration& iteration);

// The first of these numbers of steps for which a run completes; 0 if none does.
int fewest_steps(const Mechanism& mechanism, double rho, const Iteration& iteration, std::span<const int> tried);
}  // namespace trill::papers::ypr98
