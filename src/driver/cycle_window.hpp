// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "solution/cycle_shapes.hpp"
#include "trill/driver/plan.hpp"

namespace trill {
// Where a cycle begins that an envelope run found itself at.
struct CycleStart {
  double number;  // of the cycle
  double t;
  Vec y;
};
// The rows of a run that follows an envelope, as far as they are starts of cycles; if there are very many of them,
// some. Empty: it did not follow one, or not every step was recorded.
std::vector<CycleStart> cycle_starts(const RunInfo& info, const RowSource& rows);

// Computes one cycle from each start, as many as fit into so many bytes of a page, with the defaults of the model. No
// cycles: there is nothing to show.
CycleShapes find_cycle_shapes(const PreparedRun& run, const RunDefaults& defaults,
                              const std::vector<CycleStart>& starts, double bytes);

struct TimeWindow {
  double from, to;
};

// A run of every cycle in a window, from the state that the envelope has where the window begins.
struct WindowRun {
  RunOutcome before;               // of the way to the window
  std::optional<PreparedRun> run;  // if that succeeded
};
// plan: of the envelope; its end is not used. UsageError if the window does not lie behind the start.
WindowRun prepare_window(const RunPlan& plan, const TimeWindow& window, const std::atomic<bool>* stop = nullptr);
// The same for an envelope that has been followed before: every cycle is computed from the last start before the window
// on. UsageError if the window does not lie between the first start and the last one.
WindowRun prepare_window(const PreparedRun& followed, const RunDefaults& defaults,
                         const std::vector<CycleStart>& starts, const TimeWindow& window,
                         const std::atomic<bool>* stop = nullptr);
}  // namespace trill
