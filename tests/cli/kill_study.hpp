// SPDX-License-Identifier: BSD-3-Clause
// A run is killed at random moments and resumed until it ends. Nothing may differ from an uninterrupted run.
#pragma once

#include "tool.hpp"

namespace trill::testing_cli {
struct KillStudy {
  std::string run;  // the words after `trill run`, without the file
  std::string file = "run.h5";
  int kills = 1;  // if fewer than three, each comes right after a checkpoint, so that none is wasted
};

// The number in TRILL_KILLS, or `otherwise` if it is not set.
int wanted_kills(int otherwise);

// Fails the current test if anything differs.
void kill_and_resume(const KillStudy& study);
}  // namespace trill::testing_cli
