// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "method/slow_motion.hpp"
#include "method/stage_system.hpp"

namespace trill {
// Where Newton's iteration for the stages of a step starts, and where its matrix is formed. The stages of the last step
// are kept for this. Checkpoints do not contain them, since implicit Runge-Kutta methods restart at every checkpoint.
class GuessPolicy {
 public:
  void start(const StageSystem& stages);
  void forget() { remembers_ = false; }
  void choose(double h, const SlowMotion& slow);
  bool needs_start() const { return source_ == Source::start; }  // the derivative at the start of the step
  // Derivative and multipliers of the previous step's last stage, if that stage is the state itself.
  bool recall_state(Out k, Out l) const;
  // First guess for the step that `stages` has begun from y0; k1 and l1 are derivative and multipliers there.
  void guess(double h, In y0, In k1, In l1, const SlowMotion& slow, StageSystem& stages, Out x);
  void place_matrix(double t, double h, const SlowMotion& slow, StageSystem& stages) const;
  void keep(double h, const StageSystem& stages, bool go_on);  // after a step; go_on: its stages may be extrapolated

 private:
  // The slow point of JP95, the extrapolated last step, or the derivative at the start used for all stages.
  enum class Source { slow_point, memory, start };
  void find_weights(double ratio);
  void carry_on(double h);
  void extrapolate(const Mat& last, Mat& next) const;
  void guess_from_slow_point(double h, In y0, In k1, In l1, const SlowPoint& slow);

  const StageBlock* block_ = nullptr;
  Mat k_, l_, last_k_, last_l_;  // one column per stage
  Source source_ = Source::start;
  double last_h_ = 0;
  Mat weights_;             // of the last step's stages for those of the next, one column per stage
  double weights_for_ = 0;  // the ratio of step sizes that they belong to
  bool remembers_ = false;
};
}  // namespace trill
