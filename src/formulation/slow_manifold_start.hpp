// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "formulation/slow_point.hpp"
#include "trill/base/notes.hpp"

#include <memory>
#include <optional>

namespace trill {
// The state of the slow motion that is nearest to a given one, and what the given one has beyond it.
struct SlowStart {
  Vec q, v;
  Vec a;                   // of the slow motion, which takes no part in the oscillation
  double open = 0;         // how far the gap that is farthest off its place on the slow manifold is off it
  double fast_energy = 0;  // of the oscillation
  double share = 0;        // of it in this energy and that of the slow motion together
  double omega = 0;        // fastest frequency of the gaps
};

// Starts on the slow manifold of a strong potential 1/2 g^T K g beside hard constraints: gaps are as far open as the
// slow motion needs, g = K^-1 lambda and G v + g_t = K^-1 lambda', with the multipliers of the rigid system at that
// state (Reich, Physica D 89 (1995) 28-42; JP95 eq. 18). What is left out is of the order K^-2. States are moved
// orthogonally in the metric of the mass. It refers to the problem, which must outlive it.
class SlowManifoldStart {
 public:
  explicit SlowManifoldStart(const MechanicalProblem& problem);
  bool applies() const { return form_.gaps() > 0; }  // the model names stiff gaps, and their forces stand apart
  // UsageError where gaps cannot be closed or depend on each other.
  SlowStart find(double t, In q, In v);

 private:
  void find_lambda_rate(double t, In q, In v);
  void settle(double t, In q, In v, SlowStart& out);
  void measure(double t, In q, In v, SlowStart& out);

  LiftedForm form_;
  std::unique_ptr<SlowPoint> point_;
  std::optional<ConstraintManifold> manifold_;
  Vec f_, x_, w_, c_, g_, mu_, lambda_, lambda_rate_;
};

// For a method that may start there. moves: the state is put onto the slow manifold, UsageError where there is none.
// Otherwise it is left, and what it has beyond the slow motion is told where that can be known.
std::optional<SlowStart> take_slow_start(const MechanicalProblem& problem, bool moves, State& s);

// Says so where more than a thousandth of the energy oscillates.
void warn_off_manifold(const SlowStart& start, double t, Notes& notes);
}  // namespace trill
