// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "formulation/missing_force.hpp"
#include "formulation/slow_manifold_start.hpp"
#include "trill/base/archive.hpp"

#include <cmath>

namespace trill {
// The oscillation of stiff gaps that a computed motion leaves out, because the motion is rigid, starts on the slow
// manifold or takes steps longer than the oscillation. Refers to the problem, which must outlive it.
class DroppedOscillation {
 public:
  explicit DroppedOscillation(const MechanicalProblem& stiff);
  bool applies() const { return missing_.has_value(); }  // the gaps are a force group of their own

  // Takes the oscillating state that is given. NaN: the energy of its oscillation is not known yet.
  void start(double t, In q, In v, double energy = std::nan(""));
  bool watches() const { return energy_ > 0; }  // there is an oscillation that may matter
  double slowest_frequency() const { return missing_->first().slowest_frequency(); }

  // Looks at a state of the computed motion; a note says if the missing force makes it wrong by more than the tolerance
  // (0: none is given).
  void look(double t, In q, In v, double tolerance, Notes& notes);
  Groups evaluated_groups() const { return form_.counted_groups(); }  // those whose forces a look evaluates
  void memory(Archive& archive);

 private:
  LiftedForm form_;
  std::unique_ptr<SlowPoint> here_;
  std::optional<MissingForce> missing_;
  double energy_ = 0;
};

// For methods that take the start as it is given, or move it to the slow manifold if the user wants that: what the
// oscillation at the start means for their steps. Refers to the problem.
class OscillationAtStart {
 public:
  OscillationAtStart(const MechanicalProblem& problem, bool moves) : problem_(problem), moves_(moves) {}
  // Moves the state if it has to; UsageError where there is no slow manifold.
  void start(State& s);
  void warn(double t, Notes& notes);  // before the first step
  // After a step of size h to s. Returns the groups whose forces were evaluated.
  Groups look(const State& s, double h, double tolerance, Notes& notes);
  void memory(Archive& archive);

 private:
  const MechanicalProblem& problem_;
  bool moves_;
  std::optional<SlowStart> found_;  // until the notice about it is given
  std::unique_ptr<DroppedOscillation> dropped_;
};
}  // namespace trill
