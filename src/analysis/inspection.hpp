// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "trill/method/registry.hpp"

#include <optional>

namespace trill {
struct Mode {
  double omega = 0;   // |imaginary part| of an eigenvalue pair
  double growth = 0;  // its real part
  bool fast = false;
};

struct MethodAdvice {
  std::string method;
  bool fits = false;  // it can run this problem
  double h = 0;       // largest sensible step; 0: none can be given
  std::string says;
};

// What can be said about a problem before it is run.
struct Inspection {
  // By decreasing frequency, with stiff gaps closed; empty if there is no linearisation.
  std::vector<Mode> modes;
  double gap = 1;                     // slowest fast frequency over fastest slow one
  std::optional<double> fast_energy;  // energy in the strong potential
  std::vector<MethodAdvice> advice;   // for every method of the registry
  std::string recommended, why;
};
Inspection inspect_problem(const Problem& problem, const State& start);
// Only modes and gap. What methods say takes long where some of them try themselves out.
Inspection inspect_modes(const Problem& problem, const State& start);
}  // namespace trill
