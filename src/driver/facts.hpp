// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "driver/resolve.hpp"
#include "formulation/prospect.hpp"

namespace trill {
// The result of trying a technique that could do what is wanted.
struct Trial {
  Technique technique;
  Way way;                // set if the technique accepts the start
  std::string objection;  // why it cannot be used; empty: it can
  bool ran = false;       // a rough run over the whole span was made
};

// What a technique says it would do, and the way that would be taken.
struct Candidate {
  Technique technique;
  Way way;
  Prospect prospect;                           // with an objection if it cannot be used
  double seconds = 0;                          // predicted
  bool full = true;                            // delivers the full motion
  std::shared_ptr<const Reformulation> asked;  // a formulation that has entered the problem
};

// What is known about the problem before the run.
struct Facts {
  std::string name;
  State start;
  ProblemFacts problem;
  // What every technique says; empty where the plan or the model names one and nobody asks.
  std::vector<Candidate> candidates;
  // For an envelope: the techniques that were tried, up to the first one that is sure to serve.
  std::vector<Trial> trials;
};

// Examines the problem, as far as a choice has to be made or `curious` is set.
Facts facts(const Resolved& asked, const Problem& problem, bool curious = false);

// What is asked of the methods.
Question question_of(const Resolved& asked);

// A rough run, over the whole span if that takes little time beside the full motion. Returns why the way would be
// refused somewhere, or an empty string.
std::string refusal_on_the_way(const Resolved& asked, const Facts& known, const Way& way, const Problem& problem,
                               double seconds_of_full_motion);

inline constexpr const char* finder_of_cycles = "envelope_switching";

// The techniques that are tried for the envelope of a cyclic motion, in this order.
std::vector<Technique> envelope_ladder(const Resolved& asked);
}  // namespace trill
