// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "method/slow_motion.hpp"
#include "method/stage_system.hpp"

namespace trill {
// Where Newton's iteration for the stages of a step starts, and where its matrix is formed. The stages of the last step
// are kept for that; no checkpoint holds them, since implicit Runge-Kutta methods restart at every one.
class GuessPolicy {
 public:
  void start(const StageSystem& stages);
  void forget() { remembers_ = false; }
  void choose(double h, const SlowMotion& slow);
  bool needs_start() const { return source_ == Source::start; }  // the derivative there
  // The last stage of the step before, where it is the state itself: its derivative and multipliers.
  bool recall_state(Out k, Out l) const;
  // For the step that `stages` has begun from y0, where derivative and multipliers are k1 and l1.
  void guess(double h, In y0, In k1, In l1, const SlowMotion& slow, StageSystem& stages, Out x);
  void place_matrix(double t, double h, const SlowMotion& slow, StageSystem& stages, In x) const;
  void keep(double h, const StageSystem& stages, bool go_on);  // after a step; go_on: its stages may be carried on

 private:
  // JP95's slow point, what went before carried on, or the derivative at the start for all stages.
  enum class Source { slow_point, memory, start };
  void carry_on(double h);
  void guess_from_slow_point(double h, In y0, In k1, In l1, const SlowPoint& slow);

  const StageBlock* block_ = nullptr;
  Mat k_, l_, last_k_, last_l_;  // columns: stages
  Source source_ = Source::start;
  double last_h_ = 0;
  bool remembers_ = false;
};
}  // namespace trill
