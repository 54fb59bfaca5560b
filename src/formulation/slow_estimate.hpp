// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "slow_system.hpp"
#include "trill/base/archive.hpp"
#include "trill/base/notes.hpp"

#include <string>

namespace trill {
// How far the slow motion may be trusted: the largest of what was seen along its path so far, and from that an estimate
// of its distance from the mean of the stiff motion, relative to the size of the positions. The constants were
// calibrated on random chains (docs/methods/slow.md).
class SlowEstimate {
 public:
  explicit SlowEstimate(const SlowSystem& slow);
  void start(double t) { seen_ = {}, seen_.t_begin = t; }
  // Looks at a point of the path; actions: of the fast modes, empty without.
  void look(const State& s, In actions);

  // Warns once for each trouble; false: the answer would be wrong, and refusal() says why.
  bool judge(double t, double tolerance, Notes& notes);
  const std::string& refusal() const { return refusal_; }

  double model_error(double t) const;
  double offset_error(double t, int order) const;  // the part that depends on the order of the slow system
  double slow_rate() const;
  double smallest_frequency() const { return seen_.smallest; }
  double largest_frequency() const { return seen_.largest; }

  void save(Archive& archive) const { archive.write(seen_), save_signs(archive); }
  void load(Archive& archive) { archive.read(seen_), load_signs(archive); }

 private:
  struct Seen {
    double t_begin = 0;
    double q = 0, v = 0, a = 0;        // largest entries
    double offset0 = 0, offset1 = 0;   // displacement by the slow multipliers, and what order 1 leaves out of it
    double force = 0, correction = 0;  // forces of the gaps and of the motion; what order 1 adds to those of the gaps
    double amplitude = 0;              // of the fast motion, times the curvature of the gaps
    double smallest = 0, largest = 0;  // fast frequencies
    double gap = 1;                    // least relative distance of two coupled frequencies that carry energy
    double exchanged = 0;              // energy of the fast modes that the slow motion takes and gives
    double energy = 0;                 // of the slow motion
    double resonance_time = 0;
    int resonances = 0;
    double condition = 1;
  };
  void look_at_modes(const State& s, In actions);
  void look_for_resonances(double t, In actions);
  void find_curvatures(const State& s, Index layer);
  void squares(In x, Vec& of_blocks) const;
  bool carries(In actions, Index mode) const;  // energy worth mentioning
  void save_signs(Archive& archive) const;
  void load_signs(Archive& archive);

  const SlowSystem& slow_;
  Seen seen_;
  Vec low_, high_;          // of each frequency
  std::vector<int> signs_;  // of 2 Omega_i - Omega_j and of Omega_i + Omega_j - Omega_k within a block
  bool signs_known_ = false;
  std::string refusal_;
  Vec x_, c_, s_, covector_, probe_;
  Vec gradient_, turned_, length_, curvature_;  // of blocks
};
}  // namespace trill
