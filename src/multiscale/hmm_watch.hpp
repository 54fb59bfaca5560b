// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "multiscale/window_choice.hpp"
#include "trill/base/archive.hpp"
#include "trill/base/notes.hpp"

namespace trill {
// Watches a run of the averaged system: the frequencies, because windows are chosen again when they change, and the
// distance from the slow manifold.
class HmmWatch {
 public:
  explicit HmmWatch(AveragedForce& averaged) : averaged_(averaged) {}
  // needs: those used to plan the windows; share: part of the energy that oscillates; span: time span of the run.
  void start(const WindowNeeds& needs, double share, double tolerance, double span);

  enum class Found { nothing, drift, refusal };
  Found after_step(const State& s, Notes& notes);
  const std::string& refusal() const { return refusal_; }

  const WindowNeeds& needs() const { return needs_; }  // as seen last
  double slowest_seen() const { return slowest_seen_; }
  double fastest_seen() const { return fastest_seen_; }
  double largest_drift() const { return largest_drift_; }
  double doubt() const { return doubt_; }  // estimated relative error due to what was seen along the run
  void memory(Archive& archive);

 private:
  bool look(const State& s, Notes& notes);
  bool plan_again();
  void watch_variation(double t, Notes& notes);
  void watch_resonance(double t, Notes& notes);
  double drift_of(const State& s, const MicroWindow::Means& means) const;
  double most_drift() const;

  AveragedForce& averaged_;
  WindowNeeds needs_, planned_;
  double share_ = 0, tolerance_ = 0, span_ = 0, slowest_seen_ = 0, fastest_seen_ = 0, largest_drift_ = 0,
         largest_velocity_ = 0, doubt_ = 0;
  int steps_since_look_ = 0, look_interval_ = 1;
  Index beyond_double_ = -1;  // pairs of modes in which one frequency is more than twice the other
  std::string refusal_;
};
}  // namespace trill
