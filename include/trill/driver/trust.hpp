// SPDX-License-Identifier: BSD-3-Clause
// For programs that check a run by other means than its own.
#pragma once

#include "trill/driver/plan.hpp"

namespace trill {
enum class When { automatic, always, never };

// How much time the check of a run may take.
struct CheckTime {
  CheckTime(When when = When::automatic) : when(when) {}  // NOLINT(google-explicit-constructor): a word is a time
  // automatic: the larger of 2 s and the time of the run, but a run of less than a millisecond is checked in 40 ms.
  // always: as long as it takes.
  When when;
  std::optional<double> seconds = {};  // instead of that
  double after(double run_seconds) const;
  bool is_off() const { return when == When::never && !seconds; }
};

struct TrustOptions {
  std::optional<double> most_seconds = {};  // for the check; empty: the larger of 2 s and the time of the run
  const std::atomic<bool>* stop = nullptr;
};

// Says how far a run can be trusted. If the time suffices, the whole run is computed by another method of high order,
// and the statement is a measured error. Otherwise parts of it are, and the run is repeated with h/1.618 or rtol/10.
// `rows` are the rows of the run, `outcome` how it ended. Random motion is judged by averages.
Trust check_trust(const PreparedRun& run, const RunOutcome& outcome, const RowSource& rows,
                  const TrustOptions& options = {});
}  // namespace trill
