// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "formulation/constraint_formulation.hpp"

namespace trill {
// The options themselves; UsageError if they eliminate multipliers on which forces depend.
inline const StageOptions& keeping_reactions(const StageOptions& options, const MechanicalProblem& problem,
                                             const std::string& asker) {
  const bool eliminates = options.form == ConstraintForm::cs || options.form == ConstraintForm::cm;
  if (eliminates && reaction_forces(problem))
    throw UsageError(asker + " with formulation=cs or cm eliminates the multipliers, on which forces of '" +
                     problem.name() + "' depend; take index2, ggl or index3");
  return options;
}
}  // namespace trill
