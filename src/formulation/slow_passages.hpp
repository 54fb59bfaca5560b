// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "formulation/slow_system.hpp"
#include "trill/base/archive.hpp"

namespace trill {
// Where fast modes do not keep their actions: along the path two frequencies meet, or they pass a resonance
// 2 Omega_i = Omega_j or Omega_i + Omega_j = Omega_k. What an action loses there acts on the slow motion from then on,
// by its force times how far the frequencies that took part in it move away from each other.
class SlowPassages {
 public:
  explicit SlowPassages(const SlowSystem& slow);
  void start();
  // What happened on the way from the point looked at last to this one, whose modes were found last. reach: amplitude
  // of every mode times the curvature of its gaps; carries: whether it has energy worth mentioning.
  void look(const State& s, In actions, In reach, const std::vector<char>& carries);

  // Work of the lost actions times the time since; over the kinetic energy and times the slow rate, an error.
  double met() const { return seen_.met; }
  double resonated() const { return seen_.resonated; }
  double beat() const { return seen_.beat; }  // of two modes, product of reaches over the relative distance squared
  double nearest() const { return seen_.nearest; }  // relative distance of two frequencies
  int resonances() const { return seen_.resonances; }
  double worst_resonance() const { return seen_.worst_resonance; }  // when it was
  double largest_loss() const { return seen_.largest_loss; }        // of an action by a resonance, relative

  void memory(Archive& archive);

 private:
  struct Seen {
    double met = 0, resonated = 0, beat = 0, nearest = 1, worst_resonance = 0, largest_loss = 0;
    int resonances = 0;
  };
  // Modes i < j <= k of one block: two that meet where k < 0, a resonance 2:1 where k = j, a sum where k > j.
  struct Passage {
    Index i = 0, j = 0, k = -1;
    double lost = 0;           // action
    double low = 0, high = 0;  // of the detuning since the first loss
    double since = 0;
    double detuning(const Vec& omega) const;
  };
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
  Vec x_, s_, covector_;
};
}  // namespace trill
