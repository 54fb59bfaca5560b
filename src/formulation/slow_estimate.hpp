// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "formulation/slow_passages.hpp"
#include "trill/base/notes.hpp"

#include <string>

namespace trill {
// How far the slow motion can be trusted: keeps the largest values seen along its path so far and estimates from them
// the distance from the mean of the stiff motion, relative to the size of the positions. The constants were calibrated
// on random chains (docs/methods/slow.md).
class SlowEstimate {
 public:
  explicit SlowEstimate(const SlowSystem& slow);
  void start(double t);
  // Looks at a point of the path; actions: those of the fast modes, empty if there are none.
  void look(const State& s, In actions);

  // Warns once about each problem; false: the answer would be wrong, and refusal() says why.
  bool judge(double t, double tolerance, Notes& notes);
  const std::string& refusal() const { return refusal_; }

  double model_error(double t) const;
  double offset_error(double t, int order) const;  // the part that depends on the order of the slow system
  double phase_error(double t) const;              // phase error of the fastest mode since the start, in radians
  double slow_rate() const;
  double nearest_frequencies() const { return passages_.nearest(); }  // relative distance; 1: fewer than two
  int resonances() const { return passages_.resonances(); }
  double smallest_frequency() const { return seen_.smallest; }
  double largest_frequency() const { return seen_.largest; }

  void memory(Archive& archive);

 private:
  struct Seen {
    double t_begin = 0;
    double q = 0, v = 0, a = 0;       // largest entries
    double range = 0, curvature = 0;  // distance from the start; curvature of the gaps there
    // Displacement by the slow multipliers, and the part of it that order 1 leaves out.
    double offset0 = 0, offset1 = 0;
    // Forces of the gaps and of the motion; what order 1 adds to the forces of the gaps.
    double force = 0, correction = 0;
    double amplitude = 0;              // amplitude of the fast motion times the curvature of the gaps
    double smallest = 0, largest = 0;  // fast frequencies
    double exchanged = 0;              // energy exchanged between the fast modes and the slow motion
    double energy = 0, kinetic = 0;    // energies of the slow motion
    double condition = 1;
  };
  double size() const;
  void look_first(const State& s);
  void look_at_modes(const State& s, In actions);
  void find_curvatures(const State& s, Index layer);
  void squares(In x, Vec& of_blocks) const;
  double growth(double t) const;
  double passage_error(double work) const;
  double beat_error(double t) const;

  const SlowSystem& slow_;
  Seen seen_;
  SlowPassages passages_;
  Vec first_;                  // first position
  Vec low_, high_;             // range of each frequency
  Vec reach_;                  // for each mode: its amplitude times the curvature of its gaps
  std::vector<char> carries_;  // for each mode: whether it has a relevant share of the energy
  std::string refusal_;
  Vec x_, c_, s_, covector_, probe_;
  Vec gradient_, turned_, length_, curvature_;  // one value per block
};
}  // namespace trill
