// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "solution/cycle_shapes.hpp"
#include "trill/driver/plan.hpp"

namespace trill {
// Keeps the states at which an envelope run found itself at the start of a cycle.
class CycleStarts final : public Observer {
 public:
  // The stepper of the run, which must outlive this.
  explicit CycleStarts(const Stepper& stepper);
  bool counts_cycles() const { return cycles_at_ >= 0; }  // false: the method does not step over cycles
  void begin(const Problem&, const State& start) override;
  void accepted(const State& s, const StepResult&) override;

  struct Start {
    double number;
    State state;
  };
  const std::vector<Start>& all() const { return starts_; }

 private:
  void keep(const State& s);
  const Stepper& stepper_;
  Index cycles_at_ = -1;  // the place of the number of cycles among the diagnostics of the stepper
  Vec diagnostics_;
  double number_ = 0;
  std::size_t stride_ = 1, met_ = 0;
  std::vector<Start> starts_;
};

// Computes one cycle from each start, as many as fit into so many bytes of a page, with the defaults of the model. No
// cycles: there is nothing to show.
CycleShapes find_cycle_shapes(const PreparedRun& run, const RunDefaults& defaults, const CycleStarts& starts,
                              double bytes);

struct TimeWindow {
  double from, to;
};

// A run of every cycle in a window, from the state that the envelope has where the window begins.
struct WindowRun {
  RunOutcome before;               // of the envelope up to the window
  std::optional<PreparedRun> run;  // if that succeeded
};
// plan: of the envelope; its end is not used. UsageError if the window does not lie behind the start.
WindowRun prepare_window(const RunPlan& plan, const TimeWindow& window, const std::atomic<bool>* stop = nullptr);
}  // namespace trill
