// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "trill/problem/mechanical.hpp"

namespace trill {
// The motion under the fast forces alone, M q'' = c - K q with constant M and K, in closed form by its modes.
class LinearOscillation {
 public:
  // UsageError that names `asker` where the fast forces are no such ones between the two times, judged at and around q.
  LinearOscillation(const MechanicalProblem& problem, std::string_view asker, double t_begin, double t_end, In q);

  const Vec& frequencies() const { return omega_; }  // ascending, zeros among them
  double largest_frequency() const { return omega_.tail(1)[0]; }
  const Vec& rest() const { return rest_; }            // where the oscillating modes have no force
  const Vec& steady_force() const { return steady_; }  // on modes that do not oscillate

  // What a time does to every mode.
  struct Turn {
    Vec cosine, sine_over_omega, omega_sine;
  };
  void find_turn(double time, Turn& turn) const;
  void apply(const Turn& turn, Out q, Out v);

  // How far a mode is from a whole number of turns in this time, in radians; the largest of all modes.
  double mismatch(double period) const;
  // The shortest multiple of the shortest period that brings all modes back, UsageError where none up to the eighth
  // does: only one fast frequency, or commensurate ones, can be averaged by their returns.
  double common_period(std::string_view asker) const;
  static constexpr double most_mismatch = 0.05;  // beyond, what is left of a turn is no slow motion

 private:
  void find_modes(const MechanicalProblem& problem, std::string_view asker, const Mat& stiffness, const Vec& force);

  SpMat modes_, to_modes_;
  Vec omega_, rest_, steady_, position_, speed_, turned_;
};
}  // namespace trill
