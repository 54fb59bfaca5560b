// SPDX-License-Identifier: BSD-3-Clause
// The generalized alpha method with Newton's iteration laid open: which form of the constraints, how many iterations at
// most, whether the matrix is renewed. For the largest steps of YPR98 tables 1 and 2.
#pragma once

#include "formulation/constraint_formulation.hpp"
#include "trill/problem/model_registry.hpp"

#include <optional>
#include <span>

namespace trill::papers::ypr98 {
struct Iteration {
  ConstraintForm form = ConstraintForm::index2;
  int limit = 10;
  bool frozen = false;  // one matrix for all iterations of a step, that of the guess
  double tolerance = 1e-7;
};

inline const char* matrix_kind(bool frozen) { return frozen ? "frozen" : "full"; }

struct Mechanism {
  std::string model;
  OptionSet parameters;
  double to;
  std::optional<double> event = std::nullopt;  // of the model's first one
};

struct IterationCount {
  bool completed = false;
  double each_step = 0;  // iterations; of the steps made before one failed
  Vec q;                 // in the end
};
IterationCount count_iterations(const Mechanism& mechanism, double rho, int steps, const Iteration& iteration);

// The first of these numbers of steps with which a run completes, 0 if none does.
int fewest_steps(const Mechanism& mechanism, double rho, const Iteration& iteration, std::span<const int> tried);
}  // namespace trill::papers::ypr98
