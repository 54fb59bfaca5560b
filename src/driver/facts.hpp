// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "driver/resolve.hpp"

namespace trill {
// The result of trying a technique that could do what is wanted.
struct Trial {
  Technique technique;
  Way way;                // set if the technique accepts the start
  std::string objection;  // why it cannot be used; empty: it can
  bool ran = false;       // a rough run over the whole span was made
};

// What is known about the problem before the run.
struct Facts {
  std::string name;
  State start;
  Index stiff_gaps = 0;
  bool mechanical = false, random = false;
  // The candidates that were tried, up to the first one without an objection.
  std::vector<Trial> trials;
};

// Examines the problem. Candidates that are formulations are tried on its start, and in a rough run unless the plan
// forbids that.
Facts facts(const Resolved& asked, const std::vector<Technique>& candidates, const Problem& problem);

// Tries a formulation on a model's start. Returns the reason why it cannot be used, or an empty string.
std::string why_not(const ReformulationEntry& formulation, const Problem& problem, const RunScope& scope,
                    const OptionSet& options = {});
}  // namespace trill
