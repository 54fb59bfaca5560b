// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "formulation/slow_system.hpp"
#include "trill/base/archive.hpp"

namespace trill {
// Watches where fast modes do not keep their actions: where two frequencies come close to each other along the path, or
// pass a resonance 2 Omega_i = Omega_j or Omega_i + Omega_j = Omega_k. The change of an action affects the slow motion
// from then on: its force does work, which is that change times how far the frequencies involved move apart.
class SlowPassages {
 public:
  explicit SlowPassages(const SlowSystem& slow);
  void start();
  // Looks at what happened between the last point and this one, for which modes were computed just before. reach:
  // amplitude of every mode times the curvature of its gaps; carries: whether it has a relevant share of the energy.
  void look(const State& s, In actions, In reach, const std::vector<char>& carries);

  // Work of the lost actions times the time since then; divided by the kinetic energy and times the slow rate it is an
  // error.
  double met() const { return seen_.met; }
  double resonated() const { return seen_.resonated; }
  // For two modes: product of their reaches over the squared relative distance.
  double beat() const { return seen_.beat; }
  double nearest() const { return seen_.nearest; }  // smallest relative distance of two frequencies
  int resonances() const { return seen_.resonances; }
  double worst_resonance() const { return seen_.worst_resonance; }  // its time
  double largest_loss() const { return seen_.largest_loss; }        // largest relative loss of an action by a resonance

  void memory(Archive& archive);

 private:
  struct Seen {
    double met = 0, resonated = 0, beat = 0, nearest = 1, worst_resonance = 0, largest_loss = 0;
    int resonances = 0;
  };
  // Modes i < j <= k of one block: k < 0: two that come close to each other; k = j: a 2:1 resonance; k > j: a sum.
  struct Passage {
    Index i = 0, j = 0, k = -1;
    double lost = 0;           // lost action
    double low = 0, high = 0;  // range of the detuning since the first loss
    double since = 0;
    double detuning(const Vec& omega) const;
  };
  // Long steps turn the modes so far that what lies between their ends has to be looked at, too.
  Index parts_since(const std::vector<char>& carries) const;
  void stand_between(const State& s, double theta);
  void look_at_all(const State& s, In actions, In reach, const std::vector<char>& carries);
  void keep_modes(double t);
  void look_at_pair(double t, In actions, In reach, Index block, Passage pair);
  void look_at_resonance(const State& s, In actions, Index block, Passage triple);
  void add_up(double t);
  double turned(Index block, Index i, Index j) const;
  double coupling(const State& s, Index block, const Passage& triple);
  double cubic(const State& s, Index block, Index i, Index j, Index k);
  Passage* find(const Passage& same, double t);

  const SlowSystem& slow_;
  Seen seen_;
  std::vector<Passage> passages_;
  Vec low_, high_, omega_before_;
  Mat y_before_;
  double t_before_ = 0;
  double t_last_ = 0;  // the last point that was given; the one before may lie between two of them
  Vec q_last_, v_last_;
  State between_;
  Vec x_, s_, covector_;
};
}  // namespace trill
