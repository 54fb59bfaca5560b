// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "driver/advice.hpp"

#include <optional>

namespace trill {
struct Mode {
  double omega = 0;   // |imaginary part| of an eigenvalue pair
  double growth = 0;  // its real part
  bool fast = false;
};

// What can be said about a problem before it is run.
struct Inspection {
  // By decreasing frequency, with stiff gaps closed; empty if there is no linearisation.
  std::vector<Mode> modes;
  std::string modes_left_out;         // why they were not looked for
  double gap = 1;                     // slowest fast frequency over fastest slow one; 1: there are no two scales
  std::optional<double> fast_energy;  // energy in the strong potential
  std::string resonance;              // at which steps impulses of slow forces resonate; empty: there are none
  ProblemFacts facts;
  Advice advice;        // with all ways that can be taken, the best first
  std::string refusal;  // why what is wanted cannot be computed; empty: it can
};
// The plan says what is wanted and for how long; a method that it names is not looked at.
Inspection inspect_problem(const RunPlan& plan, const Problem& problem, const RunDefaults& defaults);
// Only modes and gap.
Inspection inspect_modes(const Problem& problem, const State& start, double span);
}  // namespace trill
