// SPDX-License-Identifier: BSD-3-Clause
// Says in words what a check found.
#pragma once

#include "driver/check_audit.hpp"
#include "driver/check_compare.hpp"

namespace trill {
// What the check of a run found out.
struct Finding {
  double error = 0;
  std::string of;                 // empty: nothing differs
  std::string how;                // "measured against dop853 with rtol 1e-08"
  bool measured = false;          // by an audit of the whole run
  bool stated = false;            // by the formulation itself, which knows a bound or an estimate of its error
  std::optional<double> folding;  // errors grow e-fold in this time
  double until = std::nan("");    // the last time before the error exceeds the accuracy
  double of_conserved = 0;        // error of what the motion conserves, such as its energy
  std::string events;             // a difference in events, in a sentence
  std::string moments;            // that were left out, in a sentence
  std::string output;             // what the rows do not show, in a sentence
  std::string failure;            // the run that checked ended differently
};

// Fills verdict, headline, error, of, until and remedy. `audit`: null if no method computed the whole run.
void state(Trust& trust, const Finding& finding, const PreparedRun& run, const RunOutcome& outcome, bool slow,
           const Audit* audit);
}  // namespace trill
