// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "linalg/modes.hpp"
#include "petsc_space.hpp"
#include "trill/base/options.hpp"

#include <optional>

namespace trill {
// What the command line asks for.
struct SharedTask {
  std::string model;
  OptionSet parameters;
  std::string out;
  SharedSolver solver = SharedSolver::mumps;
  std::vector<std::string> of;
  double accuracy = 1e-3;
  std::optional<double> to, dt;
  Index count = 10;
  CountCheck check = CountCheck::deflation;
  bool slepc = false;
};

bool is_first_process();  // the one that prints and writes

// Exit codes.
int shared_run(const SharedTask& task);
int shared_modes(const SharedTask& task);
}  // namespace trill
