// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "trill/solution/recorder.hpp"

namespace trill {
// Wants checkpoints by the clock as well as by steps.
class TimedRecorder : public Recorder {
 public:
  virtual bool overdue() = 0;  // asked after every step: so much time has passed that a checkpoint is wanted now
};
}  // namespace trill
