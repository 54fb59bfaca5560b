// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "multiscale/oscillation_finder.hpp"
#include "trill/driver/plan.hpp"

namespace trill {
// Looks for an oscillation in the steps of a run and stops it when the last periods are alike.
class PeriodWatch final : public Observer {
 public:
  // only, agreement: see OscillationFinder. interrupted: set from outside, the run is to be stopped.
  PeriodWatch(Index only, double agreement, const std::atomic<bool>* interrupted)
      : finder_(only, agreement), interrupted_(interrupted) {}
  void begin(const Problem&, const State& start) override { finder_.begin(start); }
  void accepted(const State& s, const StepResult&) override {
    finder_.take(s);
    stop_ = finder_.found() || (interrupted_ && interrupted_->load());
  }
  const std::atomic<bool>& stop() const { return stop_; }
  const OscillationFinder& finder() const { return finder_; }

 private:
  OscillationFinder finder_;
  const std::atomic<bool>* interrupted_;
  std::atomic<bool> stop_ = false;
};
}  // namespace trill
