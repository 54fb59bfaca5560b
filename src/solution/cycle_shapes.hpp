// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "trill/problem/problem.hpp"

#include <span>
#include <string>
#include <vector>

namespace trill {
// Cycles of a run that followed an envelope, each computed in full and sampled at the same phases. The cycles in
// between follow by interpolation at equal phase, since neighbouring cycles are nearly alike.
struct CycleShapes {
  struct Cycle {
    double number, t, period;  // which cycle of the run it is, when it begins, and how long it takes
  };
  std::vector<Cycle> cycles;      // in the order of time
  std::vector<double> phases;     // from 0 to 1
  std::vector<Index> components;  // which components of the state are sampled
  std::vector<float> values;      // of each cycle, of each component, at each phase
  std::string command;            // computes a window exactly; the text WINDOW in it stands for its times

  std::size_t size_of_cycle() const { return components.size() * phases.size(); }
  std::span<const float> cycle(std::size_t k) const { return {values.data() + k * size_of_cycle(), size_of_cycle()}; }
};
}  // namespace trill
