// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "formulation/slow_point.hpp"
#include "trill/base/notes.hpp"

#include <memory>
#include <optional>

namespace trill {
// The state of the slow motion that is nearest to a given one, and by how much the given state differs from it.
struct SlowStart {
  Vec q, v;
  Vec a;                   // acceleration of the slow motion, without the oscillation
  double open = 0;         // largest distance of a gap from its value on the slow manifold
  double fast_energy = 0;  // energy of the oscillation
  double share = 0;        // share of the oscillation in its energy and that of the slow motion together
  double omega = 0;        // highest frequency of the gaps
};

// Starts on the slow manifold of a strong potential 1/2 g^T K g, possibly with hard constraints: gaps are as far open
// as the slow motion needs, g = K^-1 lambda and G v + g_t = K^-1 lambda', with the multipliers of the rigid system at
// that state (Reich, Physica D 89 (1995) 28-42; JP95 eq. 18). Terms of order K^-2 are left out. States are moved
// orthogonally in the metric of the mass. Refers to the problem, which must outlive it.
class SlowManifoldStart {
 public:
  explicit SlowManifoldStart(const MechanicalProblem& problem);
  bool applies() const { return form_.gaps() > 0; }  // the model declares stiff gaps as a separate force group
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

// For a method that may start there. moves: the state is moved to the slow manifold, with a UsageError if there is
// none. Otherwise the state stays as it is. The result says how far the given state is from the slow motion, where this
// can be computed.
std::optional<SlowStart> take_slow_start(const MechanicalProblem& problem, bool moves, State& s);

// Warns if more than a thousandth of the energy oscillates.
void warn_off_manifold(const SlowStart& start, double t, Notes& notes);
}  // namespace trill
