// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "formulation/energy_share.hpp"
#include "multiscale/window_choice.hpp"
#include "trill/base/notes.hpp"

namespace trill {
struct HmmChoice {
  std::string fast_energy, stages;  // "auto" or what the user says
  double tolerance = 0, span = 0;   // of the run; span: with its sign
};

// How fast a velocity changes; from rest, how fast the positions do. span: of time.
double turning_rate(In q, In v, In a, double span);

// The way from an oscillating state into the averaged system: frequencies, slow rate, windows, and what to do about the
// energy of the oscillation.
class HmmStart {
 public:
  explicit HmmStart(AveragedForce& averaged);
  // Plans the windows and fills in the means, and the actions where they are kept. UsageError where it cannot be done.
  void find(const State& given, const HmmChoice& choice, State& in, Notes& notes);
  // With the windows planned already.
  void project(const State& given, State& in);

  const WindowNeeds& needs() const { return needs_; }
  double share() const { return share_; }  // of kinetic energy and work of forces, estimated, that oscillates
  const EnergyShare& energy() const { return energy_; }
  double left_out() const { return left_out_; }  // of it, although it acts on the slow motion
  double bend() const { return bend_; }          // of the stiff directions within the oscillation
  const Vec& reach() const { return reach_; }    // amplitudes of the oscillation in q and v

 private:
  void look(double t, In q, In v);
  void decide(const State& given, const HmmChoice& choice, State& in, Notes& notes);
  double find_actions(const State& given, State& in);
  double find_bend(const State& in);
  void check_pace(const State& in, double span);
  double oscillating_energy(const State& given, const State& in);
  double kinetic_energy(const State& in);
  double slow_energy(const State& in);
  void check_energy(bool lifted, double tolerance, double t, Notes& notes);
  void tell_energy(bool lifted, double t, Notes& notes) const;

  AveragedForce& averaged_;
  const MechanicalProblem& stiff_;
  MicroWindow::Means means_;
  WindowNeeds needs_;
  double share_ = 0, left_out_ = 0, bend_ = 0;
  EnergyShare energy_;
  Vec reach_, shift_, x_, y_;
};
}  // namespace trill
