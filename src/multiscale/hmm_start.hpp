// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "formulation/energy_share.hpp"
#include "multiscale/window_choice.hpp"
#include "trill/base/notes.hpp"

namespace trill {
struct HmmChoice {
  std::string fast_energy, stages;  // "auto" or the user's choice
  double tolerance = 0, span = 0;   // values of the run; span has a sign
};

// How fast the velocity changes, or for a start from rest the positions. span: length of the time interval.
double turning_rate(In q, In v, In a, double span);

// Takes an oscillating state into the averaged system: finds frequencies, slow rate and windows, and decides what to do
// with the energy of the oscillation.
class HmmStart {
 public:
  explicit HmmStart(AveragedForce& averaged);
  // Plans the windows and fills in the means, and the actions if they are kept. UsageError if this is impossible.
  void find(const State& given, const HmmChoice& choice, State& in, Notes& notes);
  // The same with windows that are already planned, without actions.
  void project(const State& given, State& in);

  const WindowNeeds& needs() const { return needs_; }
  double share() const { return share_; }  // estimated share of kinetic energy and work of forces that oscillates
  const EnergyShare& energy() const { return energy_; }
  double left_out() const { return left_out_; }  // the part of it that is left out although it acts on the slow motion
  double bend() const { return bend_; }          // how much the stiff directions turn within the oscillation
  const Vec& reach() const { return reach_; }    // amplitudes of the oscillation in q and v

 private:
  void look(double t, In q, In v);
  void decide(const State& given, const HmmChoice& choice, State& in, Notes& notes);
  double find_actions(const State& given, State& in);
  double find_bend(const State& in);
  void check_pace(const State& in, double span);
  template <class Evaluate>
  void check_pace_of(const char* what, double begin, double span, Vec& here, Vec& later, Evaluate evaluate);
  double oscillating_energy(const State& given, const State& in);
  double kinetic_energy(const State& in);
  double slow_energy(const State& in);
  void check_energy(bool lifted, double tolerance, double t, Notes& notes);
  void tell_energy(bool lifted, double t, Notes& notes) const;

  AveragedForce& averaged_;
  const MechanicalProblem& stiff_;
  MicroWindow::Means means_;
  WindowNeeds needs_;
  bool of_gaps_ = false;  // the fast modes are those of the gaps that the model names
  double share_ = 0, left_out_ = 0, bend_ = 0;
  EnergyShare energy_;
  Vec reach_, shift_, x_, y_;
};
}  // namespace trill
