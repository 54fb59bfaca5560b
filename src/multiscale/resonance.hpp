// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "multiscale/fast_flow.hpp"
#include "multiscale/force_products.hpp"
#include "trill/base/notes.hpp"

namespace trill {
struct StepInterval {
  double from = 0, to = 0;
};

// How a pair of weights behaves for the fastest oscillation: the linear test q'' = -omega^2 q - eps q, where eps is the
// stiffness of the slow forces along the fastest mode.
struct Resonance {
  WeightPair pair;
  double frequency = 0, slow_stiffness = 0;

  double theta(double h) const;
  double half_trace(double h) const;
  int nearest(double h) const;        // k >= 1 such that k pi is the multiple nearest to h omega
  double width(double h) const;       // width in h omega of the unstable interval there
  StepInterval first_window() const;  // the unstable steps next to half a period, for plain impulses
  void raise(double t, double h, Notes& notes) const;
  std::string text(double h) const;
};

Resonance find_resonance(const MechanicalProblem& problem, const FastestMode& fastest, const WeightPair& pair,
                         Groups slow, double t, In q);
void raise_weight_notes(double t, const WeightPair& pair, Notes& notes);
}  // namespace trill
