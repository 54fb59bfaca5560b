// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "method/stage_block.hpp"

namespace trill {
// What a run does with the fast oscillation (the choices of JP95 sec. 1): let the method damp it, keep its amplitude
// without following it, or follow it.
enum class FastMotion { damp, preserve, resolve };
inline constexpr double resolved_phase = 0.5;  // h omega of steps that resolve the oscillation

struct ImplicitRkPlan {
  StageBlock block;
  FastMotion fast = FastMotion::damp;
  // With h >> epsilon the phase of a fast mode advances by 2 alias epsilon/h per step: s(s+1) for Gauss, s(s-1) for
  // Lobatto IIIA; 0: the method damps it.
  double alias = 0;
  bool damps = false;
  bool estimates = false;  // has an error estimate, which needs a real mode
  // Tolerances to which the smooth motion must be known for steps that need not follow the oscillation. A more accurate
  // repetition answers the same question as the run that it is compared with, so it decides by that run's tolerance.
  double known_to = 1;
};
}  // namespace trill
