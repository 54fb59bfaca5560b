// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "trill/driver/plan.hpp"

namespace trill {
// A plan whose names and numbers have been checked.
struct Resolved {
  RunPlan plan;  // from and to filled in; `formulation` and `control` are no longer among the options
  RunDefaults defaults;
  std::optional<Way> way;                // empty: it is chosen from what is wanted
  std::optional<RankedWay> second = {};  // where the way of the model fails or is wrong
};

// Throws a UsageError if the plan is wrong; evaluates no force and runs nothing.
Resolved resolve(const RunPlan& plan, const Problem& problem, const RunDefaults& defaults);

// Nothing in the plan names a method or its step.
bool leaves_choice(const RunPlan& plan);

// `technique` with the options of the plan assigned to it: a formulation gets the method that drives it best, unless
// `macro` names another one.
Way resolve_way(const Technique& technique, const RunPlan& plan, const Problem& problem);
}  // namespace trill
