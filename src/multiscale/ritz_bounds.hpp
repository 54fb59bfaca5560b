// SPDX-License-Identifier: BSD-3-Clause
// How far an output of a reduced structure can be from that of the whole one.
#pragma once

#include "multiscale/load_remainder.hpp"
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

// An answer of the reduced structure differs from that of the whole one by what the static corrections of each load
// leave out (load_remainder.hpp), summed over the modes of the whole structure and over the Ritz vectors of the reduced
// one. Converged modes are in both sums and cancel. What is left of the first sum is at most, by Cauchy and Schwarz, a
// product of moments of the load and of the output; the second is formed itself. Moments of loads, sums of (phi^T b)^2
// / w^2k, are those of the Ritz vectors, exactly, up to twice the number of blocks, as in Gauss quadrature.
class RitzBounds {
 public:
  // Solves once for each target that is no multiple of a load; `factors` are those of K. Damping must be proportional
  // for the bounds to be proved.
  RitzBounds(const LinearStructure& structure, const SparseCholesky& factors, const State& start,
             std::vector<RitzTarget> targets, const LoadVariation& variation);

  // Of every target, with the Ritz vectors of this basis, on which the initial state was projected.
  std::vector<RitzBound> find(const RitzBasis& basis, const Vec& x0, const Vec& v0) const;
  const std::vector<RitzTarget>& targets() const { return targets_; }
  Index solves() const { return solves_; }

 private:
  // moments[k]: a sum over modes of (phi^T b)^2 / w^2k; those beyond `known` are not known.
  struct Moments {
    std::array<double, 8> of{};
    Index known = 0;
  };
  static constexpr Index all_moments = 7;
  Moments moments_left(const Vec& shares, const Vec& lambda, const ModeMask& is_mode) const;
  Moments without(const Moments& all, const Vec& shares, const Vec& lambda, const ModeMask& is_mode) const;
  static ModeSums products(const Moments& l, const Moments& b);
  Vec shares_of(const RitzBasis& basis, const Vec& vector) const;
  double load_bound(Index load, const ModeSums& sums) const { return load_remainder(variation_, load, damping_, sums); }

  const LinearStructure& structure_;
  ProportionalDamping damping_;
  std::vector<RitzTarget> targets_;
  LoadVariation variation_;
  std::vector<Moments> of_targets_;  // none are known where the target is a multiple of a load
  double start_energy_ = 0;          // twice the energy of the initial state
  Vec start_, velocity_;             // M u0 and M v0
  Index solves_ = 0;
};
inline constexpr Index blocks_of_moments = 4;  // that a basis must have for these bounds
}  // namespace trill
