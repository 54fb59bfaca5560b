// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "formulation/prospect.hpp"

namespace trill {
// What the formulation `slow` would do with a problem. Steps are those of dop853 along the slow motion, whose forces
// need derivatives of those of the model.
Prospect slow_prospect(const ProblemFacts& facts, const Question& question);
}  // namespace trill
