// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "trill/driver/plan.hpp"

namespace trill {
// A run that has been solved and checked, and what was asked for.
struct Attempted {
  const RunPlan& asked;  // as the user gave it
  const PreparedRun& run;
  const RunOutcome& outcome;
  const Trust& trust;
  const std::vector<Attempt>& earlier;
};

// What is done about a run that does not answer the question. Neither `tighter` nor `next_rung`: it stays as it is.
struct Verdicts {
  std::string given_up;           // why the run is given up
  std::optional<double> tighter;  // the same way, with this h or rtol
  bool next_rung = false;         // the next way of the ranking
  bool controls_steps = false;    // the first one of them that adapts its steps to the motion, if there is one
  std::string shortfall;          // why the accuracy cannot be reached; empty: it was reached, or it is not known
};
Verdicts next_step(const Attempted& attempted);
// The step is trill's to choose: the user named an accuracy, or neither the method nor its step. A model may name both,
// which is where the first attempt begins.
bool chooses_step(const RunPlan& asked, const PreparedRun& run);

double error_of(const Trust& trust);  // NaN: not known
Attempt attempt_of(const PreparedRun& run, const RunOutcome& outcome, const Trust& trust, std::string why);
}  // namespace trill
