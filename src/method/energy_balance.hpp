// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "problem/reactive.hpp"
#include "trill/base/archive.hpp"
#include "trill/base/notes.hpp"

namespace trill {
// The energy that a method itself takes out of a motion: the work of forces without a potential, of time-dependent
// potentials and of moving constraints, minus the change of energy. Along the exact flow
//   dE/dt = v^T f + d/ds E(t + s, q + s v, v) + lambda^T g_t,
// where the middle term cancels what potentials and position-dependent masses contribute to v^T f.
class EnergyBalance {
 public:
  explicit EnergyBalance(const MechanicalProblem& problem);
  bool is_known() const { return known_; }  // the problem has an energy that can be measured

  void start(const State& s);
  // Call it where the state was changed from outside. A step that was cut short there does not count.
  void restart(const State& s);
  void advance(const State& s, double h);  // after a step of size h to s
  double taken() const { return sums_.taken; }
  double kinetic() const { return sums_.kinetic; }  // the largest seen

  // What a stepper with this balance records, reports at the end and warns about: damping is safe only if the energy it
  // takes does not belong to the slow motion.
  std::vector<Quantity> diagnostics() const;
  void diagnose(Out values) const;
  std::string summary() const;
  void conclude(double t, Notes& notes) const;

  void memory(Archive& archive);

 private:
  struct Sums {
    double taken = 0, kinetic = 0;
    double unsure = 0;  // bound on the error of the work
  };
  void stand_at(const State& s);
  double energy(const State& s);
  double power(const State& s, double h);

  const MechanicalProblem& problem_;
  const ReactionForces* reactions_;
  bool known_ = false, moving_ = false;
  State beside_, before_;
  Vec measured_, force_, gt_, product_;
  MatrixSlot mass_;
  Sums sums_, earlier_;  // now, and before the last step
  double energy_ = 0, power_ = 0, power_change_ = 0, t_ = 0;
  // Whether power_ is known for the present state and power_change_ for the last step.
  bool has_power_ = false, has_change_ = false;
};
}  // namespace trill
