// SPDX-License-Identifier: BSD-3-Clause
// How far an output of a reduced structure can be from that of the whole one.
#pragma once

#include "multiscale/load_remainder.hpp"
#include "multiscale/ritz_basis.hpp"
#include "multiscale/structure_targets.hpp"

namespace trill {
// The error has a part for each load and one of the initial state.
struct RitzBound {
  Vec of_loads;
  double of_start = 0;
  double total() const { return of_loads.sum() + of_start; }
};

// How the part of the initial state is judged: by its energy, as if it came together at once, or by its energy spread
// evenly over all modes that have not converged, with random phases. The first is a bound; the second is 3.5 times the
// standard deviation, which rough initial data obey.
enum class StartEstimate { bound, statistical };

using ModeMask = Eigen::Array<bool, Eigen::Dynamic, 1>;
ModeMask converged_modes(const RitzBasis& basis);

// An answer of the reduced structure differs from that of the whole one by what the static corrections of each load
// leave out (load_remainder.hpp), summed over the modes of the whole structure and over the Ritz vectors of the reduced
// one. Converged modes are in both sums and cancel. What is left of the first sum is at most, by Cauchy and Schwarz, a
// product of moments of the load and of the output; the second is formed itself. Moments of loads, sums of (phi^T b)^2
// / w^2k, are those of the Ritz vectors, exactly, up to twice the number of blocks, as in Gauss quadrature.
class RitzBounds {
 public:
  // Solves once for each target that is no multiple of a load; K has been factorised. Rows of loads, start and targets
  // are those of the space. Damping must be proportional for the bounds to be proved, and the initial state must not
  // move the whole body.
  RitzBounds(const StructureSpace& space, const Mat& loads, const Vec& u0, const Vec& v0,
             const ProportionalDamping& damping, std::vector<RitzTarget> targets, const LoadVariation& variation,
             StartEstimate of_start);

  // The bounds of every target, with the Ritz vectors of this basis, on which the initial state was projected.
  std::vector<RitzBound> find(const RitzBasis& basis, const Vec& x0, const Vec& v0);
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
  // A target without its shares of modes that have been found, and the sums for it.
  struct TargetRest {
    Vec rest;
    Moments sums;     // none are known where the target is a multiple of a load
    Index modes = 0;  // that were taken out
  };
  struct Left {
    Moments moments;
    bool hidden = false;  // below rounding
  };
  void measure(TargetRest& target);
  Moments left_of(TargetRest& target, const RitzBasis& basis, const ModeMask& is_mode);
  Left without_modes(const TargetRest& target, const RitzBasis& basis, const ModeMask& is_mode) const;
  static ModeSums products(const Moments& l, const Moments& b);
  double load_bound(Index load, const ModeSums& sums) const { return load_remainder(variation_, load, damping_, sums); }

  const StructureSpace& space_;
  Mat loads_;
  ProportionalDamping damping_;
  std::vector<RitzTarget> targets_;
  LoadVariation variation_;
  std::vector<TargetRest> of_targets_;
  double start_energy_ = 0;  // twice the energy of the initial state
  Vec start_, velocity_;     // M u0 and M v0
  StartEstimate of_start_;
  Index unknowns_;
  Index solves_ = 0;
};
inline constexpr Index blocks_of_moments = 4;  // that a basis must have for these bounds
}  // namespace trill
