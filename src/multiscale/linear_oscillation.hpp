// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "trill/problem/mechanical.hpp"

namespace trill {
// The motion under the fast forces alone, M q'' = c - K q with constant M and K, in closed form by its modes.
class LinearOscillation {
 public:
  // UsageError naming `asker` if the fast forces are not of this kind between the two times, tested at and around q.
  LinearOscillation(const MechanicalProblem& problem, std::string_view asker, double t_begin, double t_end, In q);

  const Vec& frequencies() const { return omega_; }  // ascending, may contain zeros
  double largest_frequency() const { return omega_.tail(1)[0]; }
  const Vec& rest() const { return rest_; }            // position at which the oscillating modes have no force
  const Vec& steady_force() const { return steady_; }  // force on modes that do not oscillate

  // The factors by which every mode changes in a given time.
  struct Turn {
    Vec cosine, sine_over_omega, omega_sine;
  };
  void find_turn(double time, Turn& turn) const;
  void apply(const Turn& turn, Out q, Out v);

  // How far a mode is from a whole number of turns after this time, in radians; the max over all modes.
  double mismatch(double period) const;
  // The shortest multiple of the shortest period after which all modes return. UsageError if none up to the eighth
  // does: only one fast frequency, or commensurate ones, can be averaged in this way.
  double common_period(std::string_view asker) const;
  static constexpr double most_mismatch = 0.05;  // beyond this, the rest of a turn is not slow

 private:
  void find_modes(const MechanicalProblem& problem, std::string_view asker, const MatrixSlot& stiffness,
                  const Vec& force);

  SpMat modes_, to_modes_;
  Vec omega_, rest_, steady_, position_, speed_, turned_;
};
}  // namespace trill
