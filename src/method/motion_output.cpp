// SPDX-License-Identifier: BSD-3-Clause
#include "method/motion_output.hpp"

#include "trill/method/hermite.hpp"

namespace trill {
void settle_inside(ConstrainedStage& stage, const MotionStep& step, double theta, Out y) {
  const Index m = stage.constraints(), n = (y.size() - m) / 2;
  if (m == 0) return;
  auto q = y.head(n), v = y.segment(n, n), lambda = y.segment(2 * n, m);
  if (!stage.settle(step.t1 - (1 - theta) * step.h, q, v, lambda))
    lambda = (1 - theta) * step.y0.segment(2 * n, m) + theta * step.y1.segment(2 * n, m);
}

void interpolate_motion(ConstrainedStage& stage, const MotionStep& step, double theta, Out y) {
  const Index n = (y.size() - stage.constraints()) / 2;
  const auto q0 = step.y0.head(n), v0 = step.y0.segment(n, n), q1 = step.y1.head(n), v1 = step.y1.segment(n, n);
  hermite(theta, step.h, q0, v0, q1, v1, y.head(n));
  hermite_slope(theta, step.h, q0, v0, q1, v1, y.segment(n, n));
  settle_inside(stage, step, theta, y);
}
}  // namespace trill
