// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "trill/driver/plan.hpp"

namespace trill {
// Looks for an oscillation in the steps of a run and stops it when the last periods are alike.
class OscillationWatch final : public Observer {
 public:
  // only: the component to look at; -1: any. agreement: by how much the last swings may differ. interrupted: set from
  // outside, the run is to be stopped.
  OscillationWatch(Index only, double agreement, const std::atomic<bool>* interrupted)
      : only_(only), agreement_(agreement), interrupted_(interrupted) {}
  void begin(const Problem&, const State& start) override;
  void accepted(const State& s, const StepResult& step) override;
  const std::atomic<bool>& stop() const { return stop_; }

  // After the run, if an oscillation was found: a state of its last period, and its length.
  bool found() const { return period_ > 0; }
  double period() const { return period_; }
  const State& state() const { return state_; }
  const Vec& swings() const { return swings_; }  // of all components in that period

 private:
  void look();
  double period_of(Index component, std::size_t& last_crossing) const;

  Index only_;
  double agreement_;
  const std::atomic<bool>* interrupted_;
  std::vector<State> steps_;
  std::size_t next_look_ = 64;
  void measure_swings(std::size_t last_crossing);

  State state_;
  Vec swings_;
  double period_ = 0;
  std::atomic<bool> stop_ = false;
};
}  // namespace trill
