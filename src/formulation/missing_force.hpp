// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "formulation/slow_point.hpp"
#include "trill/base/archive.hpp"
#include "trill/base/notes.hpp"

#include <algorithm>

namespace trill {
// The force of an oscillation of stiff gaps on the slow motion, -sum J grad Omega, for motions that are computed
// without it: how wrong they are. Where the frequencies Omega vary, the energy of the oscillation times their relative
// change is missing in the work done on the slow motion. The form must have gaps and outlive this.
class MissingForce {
 public:
  explicit MissingForce(LiftedForm& form);
  // Starts at this state; `beside` is a SlowPoint to use. false: there is no slow motion near it.
  bool start(double t, In q, In v, SlowPoint& beside);
  void look(const SlowPoint& here);                  // a slow point of the computed motion
  double error(double t, double energy) const;       // estimated relative error at t, if this energy oscillates
  const SlowPoint& first() const { return first_; }  // the slow point of the start

  // An error beyond the second number casts doubt on a run, whose deviations are green up to about three times that.
  // One below the first is not distinguished from the energy that a smooth motion has across closed gaps.
  static constexpr double least = 1e-6, doubtful = 3e-4;
  // For notices about the error: the threshold for a tolerance (0: none is given), and how severe it is.
  static double allowed(double tolerance) { return tolerance > 0 ? std::clamp(tolerance, least, doubtful) : doubtful; }
  static Severity severity(double error) { return error > doubtful ? Severity::doubt : Severity::warning; }

  void memory(Archive& archive) { archive(seen_, last_); }  // what was seen since the start

 private:
  struct Seen {
    double kinetic = 0;               // largest kinetic energy of the slow motion
    double speed = 0;                 // largest velocity
    double changed = 0;               // largest relative change of the frequencies
    double travelled = 0, reach = 0;  // length of the path, and largest distance from its start
  };
  void probe(SlowPoint& beside);

  LiftedForm& form_;
  SlowPoint first_;
  double t_first_ = 0, size_ = 0;
  // Near the start: relative change of the frequencies for a unit of length, and the acceleration by an oscillation of
  // unit energy.
  double steepest_ = 0, acceleration_ = 0;
  Seen seen_;
  Vec last_, x_, w_;
};
}  // namespace trill
