// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "trill/base/types.hpp"

namespace trill {
// How many cycles an envelope run will have to compute, and what that saves.
struct EnvelopeGain {
  double cycles = 0;    // of the whole run
  double computed = 0;  // those that have to be computed; 0: not known
  double gain() const { return cycles / computed; }
};

// derivative: of the change in a cycle, soon after the start. What counts is how often the envelope itself oscillates,
// and for how long, before its oscillations are below the tolerance.
EnvelopeGain predict_gain(const Mat& derivative, double cycles, double tolerance);
}  // namespace trill
