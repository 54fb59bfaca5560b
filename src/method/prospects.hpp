// SPDX-License-Identifier: BSD-3-Clause
// How methods of the common kinds predict what a run would take, from pilot runs with dop853, composition8 and radau.
// Each method brings its own numbers.
#pragma once

#include "formulation/prospect.hpp"

namespace trill {
double seconds_of_step(const Prospect& p, const ProblemFacts& facts);

// An explicit method with error control, relative to dop853, which is the one below. Measured on shipped models at rtol
// = 1e-6.
struct ExplicitBehaviour {
  double order = 8;        // steps grow like rtol^(-1/order)
  double steps = 1;        // over those of dop853 at rtol = 1e-6
  double forces = 12;      // of each step
  double error = 1;        // over that of dop853 at the same tolerance
  double overhead = 1e-6;  // seconds of each step, and for each unknown
  double overhead_of_unknown = 2e-8;
};
Prospect explicit_prospect(const ProblemFacts& facts, const Question& question, const ExplicitBehaviour& method);

// A method with equal steps whose phase error on an oscillator, per radian, is error_constant (h omega)^order.
struct OscillatorBehaviour {
  double order = 8, error_constant = 1.3e-6;
  double forces = 17;  // of each step
  double factorisations = 0;
  double most_angle = 2;  // h omega, by stability or convergence
  double overhead = 3e-7, overhead_of_unknown = 2e-8;
};
Prospect equal_steps_prospect(const ProblemFacts& facts, const Question& question, const OscillatorBehaviour& method);

// An implicit method with error control, relative to radau.
struct ImplicitBehaviour {
  double order = 5;
  double steps = 1;  // over those of radau at rtol = 1e-4
  double forces = 12, factorisations = 1;
  double error = 1;  // over that of radau at the same tolerance
  double overhead = 2e-6, overhead_of_unknown = 1e-7;
  double loosest = 1e-4;    // largest tolerance at which this holds
  bool skips_gaps = false;  // its steps do not follow the oscillation of stiff gaps
};
Prospect implicit_prospect(const ProblemFacts& facts, const Question& question, const ImplicitBehaviour& method);

// For methods that nobody should choose without a reason of his own: `reason` says when to name them.
Prospect only_by_name(std::string reason);
}  // namespace trill
