// SPDX-License-Identifier: BSD-3-Clause
// What is known about a problem before it is run, and what a method says it would do with it.
#pragma once

#include "trill/base/options.hpp"
#include "trill/problem/mechanical.hpp"

#include <optional>
#include <string>
#include <vector>

namespace trill {
// The rates of the linearised motion at one state, in radians per time.
struct TimeScales {
  bool known = false;
  bool all = false;                 // false: only `largest` is known
  double largest = 0;               // largest modulus of an eigenvalue
  double decay = 0, growth = 0;     // largest negative and positive real parts, without their sign
  std::vector<double> frequencies;  // those that are not zero, ascending
  // Energies of fast and slow modes. They do not change if all moves along: motions that need no force are left out.
  // NaN: not known.
  double fast_energy = std::numeric_limits<double>::quiet_NaN(), slow_energy = fast_energy;
};

// Where fast and slow are told apart.
struct ScaleGap {
  double ratio = 1;           // of the slowest fast frequency to the fastest slow one; 1: no two scales
  double slow = 0, fast = 0;  // these two frequencies; where nothing oscillates slowly, slow is 1/span
  bool found() const { return ratio > 1; }
};

// A short run with one method, from the start, and what the whole run would take by it.
struct Pilot {
  bool ran = false;
  std::string failure;     // why it ended early; empty: it reached its end or its number of steps
  std::string not_tried;   // why it was not flown; empty: it was
  double rtol = 0, h = 0;  // one of them, and the mean step size
  double reached = 0;      // share of the whole run
  double steps = 0;        // of the whole run, and the work of each
  double forces = 0, factorisations = 0, seconds = 0;
  double error = 0;  // at the end of the whole run, relative to the range of each component; 0: not known
};

struct ProblemFacts {
  // The problem.
  Index unknowns = 0;  // of the first-order form
  Index coordinates = 0, constraints = 0, gaps = 0;
  bool mechanical = false, first_order = false, circuit = false, random = false, reactive = false;
  bool sparse = false;
  MassKind mass = MassKind::identity;
  Drag drag = Drag::none;
  bool has_potential = false;  // all forces have one
  bool linear = false;         // all forces are linear in the positions
  bool has_events = false;     // or switches
  bool splits_forces = false;  // into fast and slow groups
  bool structure = false;      // linear, with constant matrices
  bool proportional = false;   // whose damping is a combination of mass and stiffness
  std::size_t outputs = 0;     // that it names
  double span = 0;
  double drive = 0;         // fastest frequency of what acts from outside; 0: none is known
  double longest_step = 0;  // that quick actions known beforehand allow in the mean; 0: any
  // What was found by looking.
  bool looked = false;  // false: forces are too expensive, or not finite at the start
  std::string trouble;  // why it was not looked further
  double force_seconds = 0, factor_seconds = 0;
  TimeScales scales;
  ScaleGap gap;
  double growth = 0;  // rate at which neighbouring motions part, along the pilot
  Pilot explicit8, symplectic8, implicit;

  bool conservative() const { return has_potential && drag == Drag::none && drive == 0; }
  double slow_periods() const;
  // The rate at which the amplitudes of one common oscillation change, where all frequencies lie close together; 0:
  // they do not.
  double beat() const;
  double fast_periods() const;
};

// What is asked of a run.
struct Question {
  Delivers wanted = Delivers::full;
  double accuracy = 1e-3;
  std::optional<double> rtol;  // given by the user
};

// What a method or formulation would do, by its own account.
struct Prospect {
  std::string objection;  // why it cannot or should not be used; empty: it can
  std::optional<double> h, rtol;
  double steps = 0, forces = 0, factorisations = 0;
  double overhead = 0;  // seconds of a step, besides forces and factorisations
  double error = 0;     // relative; 0: not known
  std::string loses;    // "the phases of the fast motion"
  std::string why;      // continues "chosen, because"
  OptionSet options = {};
};
}  // namespace trill
