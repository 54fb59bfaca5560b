// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "trill/problem/problem.hpp"

#include <vector>

namespace trill {
// Looks for an oscillation in the steps of a motion, until its last periods are alike.
class OscillationFinder {
 public:
  // only: the component to look at; -1: any. agreement: by how much the last swings may differ.
  OscillationFinder(Index only, double agreement) : only_(only), agreement_(agreement) {}
  void begin(const State& start) { steps_.assign(1, start); }
  void take(const State& s);  // after every step

  bool found() const { return period_ > 0; }
  double period() const { return period_; }
  const State& state() const { return state_; }   // where the last period ended
  Index component() const { return component_; }  // that oscillates most, relative to its size
  double middle() const { return middle_; }       // of its range
  const Vec& swings() const { return swings_; }   // of all components in the last period

 private:
  void look();
  double period_of(Index component, std::size_t& last_crossing, double& middle) const;
  Vec swings_before(std::size_t last, double period) const;
  bool repeats(std::size_t last_crossing, double period);
  void motion(std::size_t last, double t, Out y, Out rate) const;

  Index only_;
  double agreement_;
  std::vector<State> steps_;
  std::size_t next_look_ = 64;
  State state_;
  Vec swings_;
  Index component_ = 0;
  double period_ = 0, middle_ = 0;
};
}  // namespace trill
