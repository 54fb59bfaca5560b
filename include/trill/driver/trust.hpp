// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "trill/driver/plan.hpp"

namespace trill {
struct TrustOptions {
  double most_seconds = 10;  // the repetition is given up after that
  const std::atomic<bool>* stop = nullptr;
};

// Seconds the repetition of a run would take.
double repetition_seconds(const RunPlan& plan, const Counters& counters);

// Repeats the run with h/2 or rtol/10 and compares at up to two thousand of its output times, component by component.
// `rows` are the rows of the run, `outcome` how it ended.
Trust check_trust(const PreparedRun& run, const RunOutcome& outcome, const RowSource& rows,
                  const TrustOptions& options = {});
}  // namespace trill
