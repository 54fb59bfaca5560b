// SPDX-License-Identifier: BSD-3-Clause
// How far an output of a reduced structure can be from that of the whole one.
#pragma once

#include "multiscale/load_polynomial.hpp"
#include "multiscale/ritz_basis.hpp"

namespace trill {
// y = weights^T u, or, without weights, the whole field in the mean that is weighted by mass, sqrt(u^T M u).
struct RitzTarget {
  std::string name;
  Vec weights;
  bool is_field() const { return weights.size() == 0; }
};

// The error has a part for each load and one of the initial state.
struct RitzBound {
  Vec of_loads;
  double of_start = 0;
  double total() const { return of_loads.sum() + of_start; }
};

using ModeMask = Eigen::Array<bool, Eigen::Dynamic, 1>;
inline constexpr double converged_mode = 1e-8;  // residual of a Ritz vector that counts as a mode
ModeMask converged_modes(const RitzBasis& basis);

// The residual of a load p(t) b after the static answer p K^-1 b obeys, in a mode of frequency w with b_j = phi^T b,
//
//   e'' + c e' + w^2 e = -(p'' + c p') b_j / w^2,   e(0) = -p(0) b_j / w^2,   e'(0) = -p'(0) b_j / w^2,
//
// so that |e| <= |b_j| ( (|p(0)| + jumps of p) / w^2 + (|p'(0)| + TV(p')) / w^3 + what c p' does ). The sum over all
// modes that are not among the converged ones is at most, by Cauchy and Schwarz, a product of norms of K^-1 b and K^-1
// l that have been freed of the converged modes. The reduced structure obeys the same equations with its own modes, for
// which the sum is formed itself: the difference of the two answers is at most the sum of both.
//
// For c = a0 + a1 w^2 the response h to an impulse has |h| <= 1/w and an integral of |h| of at most (1 + 2/(pi zeta)) /
// w^2, zeta = c/(2 w); thus a0 p' adds at most a0 TV(p) / w^3, and a1 w^2 p' at most (a1 / w^2 + 4/(pi w^3)) max |p'|.
// Since the integral of w^2 h lies between 0 and 2, the latter is also at most 2 a1 (|p'(0)| + TV(p')) / w^2.
class RitzBounds {
 public:
  // Solves once for each target; `factors` are those of K. Damping must be proportional for the bounds to be proved.
  RitzBounds(const LinearStructure& structure, const SparseCholesky& factors, const State& start,
             std::vector<RitzTarget> targets, const LoadVariation& variation);

  // Of every target, with the Ritz vectors of this basis, on which the initial state was projected.
  std::vector<RitzBound> find(const RitzBasis& basis, const Vec& x0, const Vec& v0) const;
  const std::vector<RitzTarget>& targets() const { return targets_; }
  Index solves() const { return solves_; }

 private:
  struct Norms {  // sums over modes of (phi^T b)^2 / w^k
    double w2 = 0, w4 = 0, w6 = 0;
  };
  double load_factor(Index load, double w2, double w3) const;
  Norms without(const Norms& all, const Vec& shares, const Vec& lambda, const ModeMask& is_mode) const;
  Vec shares_of(const RitzBasis& basis, const Vec& vector) const;

  const LinearStructure& structure_;
  ProportionalDamping damping_;
  std::vector<RitzTarget> targets_;
  LoadVariation variation_;
  std::vector<Norms> of_loads_, of_targets_;
  double start_energy_ = 0;  // twice the energy of the initial state
  Vec start_, velocity_;     // M u0 and M v0
  Index solves_ = 0;
};
}  // namespace trill
