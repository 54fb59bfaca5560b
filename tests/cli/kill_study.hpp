// SPDX-License-Identifier: BSD-3-Clause
// A run that is killed at random moments and resumed until it ends: nothing may differ from the run left in peace.
#pragma once

#include "tool.hpp"

namespace trill::testing_cli {
struct KillStudy {
  std::string run;  // the words after `trill run`, without the file
  std::string file = "run.h5";
  int kills = 1;  // fewer than three: each right after a checkpoint, so that none is wasted
};

// TRILL_KILLS, or this number.
int wanted_kills(int otherwise);

// Fails the current test if anything differs.
void kill_and_resume(const KillStudy& study);
}  // namespace trill::testing_cli
