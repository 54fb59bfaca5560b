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
  double h = 0;       // largest sensible step, 0: none to name
  std::string says;
};

// What can be said of a problem before it is run.
struct Inspection {
  std::vector<Mode> modes;            // by falling frequency, stiff gaps closed; empty where there is no linearisation
  double gap = 1;                     // slowest fast over fastest slow frequency
  std::optional<double> fast_energy;  // in the strong potential
  std::vector<MethodAdvice> advice;   // every method of the registry
  std::string recommended, why;
};
Inspection inspect_problem(const Problem& problem, const State& start);
}  // namespace trill
