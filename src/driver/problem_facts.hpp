// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "formulation/prospect.hpp"

namespace trill {
// What the problem says about itself; evaluates nothing.
ProblemFacts stated_facts(const Problem& problem, const State& start, double t_end);

// Looks at forces, at the rates of the linearised motion and at short pilot runs with the accuracy of the question.
// Takes a few milliseconds; where one force takes longer, it looks no further.
void look(const Problem& problem, const State& start, double t_end, const Question& question, ProblemFacts& facts);
}  // namespace trill
