// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "driver/resolve.hpp"

namespace trill {
// What speaks against a technique that could give what is wanted.
struct Trial {
  Technique technique;
  Way way;                // where its start is taken
  std::string objection;  // empty: nothing
  bool ran = false;       // a rough run over the whole span was part of it
};

// What is known of the problem before the run.
struct Facts {
  std::string name;
  State start;
  Index stiff_gaps = 0;
  bool mechanical = false, random = false;
  std::vector<Trial> trials;  // of the candidates for what is wanted, up to the first that nothing speaks against
};

// Looks at the problem. Candidates that are formulations are tried on its start, and in a rough run unless the plan
// rules that out.
Facts facts(const Resolved& asked, const std::vector<Technique>& candidates, const Problem& problem);

// Tries a formulation on a model's start. Empty: it takes it; otherwise the reason why not.
std::string why_not(const ReformulationEntry& formulation, const Problem& problem, const RunScope& scope,
                    const OptionSet& options = {});
}  // namespace trill
