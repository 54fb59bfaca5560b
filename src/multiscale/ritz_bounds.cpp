// SPDX-License-Identifier: BSD-3-Clause
#include "multiscale/ritz_bounds.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace trill {
namespace {
constexpr double rounding_of_sums = 1e-15;
constexpr Index few_modes = 4;
constexpr double more_modes = 2;  // times as many as last time, or as few
constexpr double same_direction = 1e-14;
constexpr double deviations = 3.5;  // that a maximum over a run reaches

bool is_multiple_of_column(const StructureSpace& space, const Vec& vector, const Mat& columns) {
  const auto square = [&](const Vec& x) { return space.products(x, x)(0, 0); };
  for (Index i = 0; i < columns.cols(); ++i) {
    const double own = square(columns.col(i));
    if (own == 0) continue;
    const Vec rest = vector - columns.col(i) * (space.products(columns.col(i), vector)(0, 0) / own);
    if (std::sqrt(square(rest)) <= same_direction * std::sqrt(square(vector))) return true;
  }
  return false;
}
}  // namespace

ModeMask converged_modes(const RitzBasis& basis) {
  ModeMask is_mode(basis.size());
  for (Index j = 0; j < basis.size(); ++j) is_mode[j] = basis.is_mode(j);
  return is_mode;
}

RitzBounds::RitzBounds(const StructureSpace& space, const Mat& loads, const Vec& u0, const Vec& v0,
                       const ProportionalDamping& damping, std::vector<RitzTarget> targets,
                       const LoadVariation& variation, StartEstimate of_start)
    : space_(space),
      loads_(loads),
      damping_(damping),
      targets_(std::move(targets)),
      variation_(variation),
      of_start_(of_start),
      unknowns_(space.size()) {
  for (const RitzTarget& target : targets_) {
    of_targets_.push_back({target.weights, {}, 0});
    if (!target.is_field() && !is_multiple_of_column(space, target.weights, loads)) measure(of_targets_.back());
  }
  start_ = space.mass_times(u0);
  velocity_ = space.mass_times(v0);
  start_energy_ = space.products(u0, space.stiffness_times(u0))(0, 0) + space.products(v0, velocity_)(0, 0);
}

// Moments of vectors in the start block of the basis, without those of converged modes.
RitzBounds::Moments RitzBounds::moments_left(const Vec& shares, const Vec& lambda, const ModeMask& is_mode) const {
  Moments left, all;
  left.known = all_moments;
  for (Index j = 0; j < lambda.size(); ++j) {
    double term = shares[j] * shares[j];
    for (std::size_t k = 1; k <= all_moments; ++k) {
      term /= lambda[j];
      all.of[k] += term;
      if (!is_mode[j]) left.of[k] += term;
    }
  }
  for (std::size_t k = 1; k <= all_moments; ++k) left.of[k] = std::max(left.of[k], rounding_of_sums * all.of[k]);
  return left;
}

void RitzBounds::measure(TargetRest& target) {
  const Vec x = space_.solve(target.rest);
  ++solves_;
  target.sums.known = 2;
  target.sums.of[1] = space_.products(target.rest, x)(0, 0);
  target.sums.of[2] = space_.products(x, space_.mass_times(x))(0, 0);
}

// What the modes leave of the sums of a target. Where rounding hides it, they are taken out of the target itself.
RitzBounds::Moments RitzBounds::left_of(TargetRest& target, const RitzBasis& basis, const ModeMask& is_mode) {
  if (target.sums.known == 0) return moments_left(basis.shares_of(target.rest), basis.lambda(), is_mode);
  const auto [left, hidden] = without_modes(target, basis, is_mode);
  const auto modes_before = static_cast<double>(std::max(target.modes, few_modes));
  if (!hidden || static_cast<double>(is_mode.count()) < more_modes * modes_before) return left;
  Mat modes(target.rest.size(), is_mode.count());
  for (Index j = 0, c = 0; j < basis.size(); ++j)
    if (is_mode[j]) modes.col(c++).noalias() = basis.vectors() * basis.combinations().col(j);
  target.rest -= space_.mass_times(modes * space_.products(modes, target.rest));
  target.modes = is_mode.count();
  measure(target);
  return without_modes(target, basis, is_mode).moments;
}

RitzBounds::Left RitzBounds::without_modes(const TargetRest& target, const RitzBasis& basis,
                                           const ModeMask& is_mode) const {
  const Vec &lambda = basis.lambda(), shares = basis.shares_of(target.rest);
  Moments left = target.sums;
  double in_modes = 0, of_solves = 0;
  for (Index j = 0; j < lambda.size(); ++j) {
    if (!is_mode[j]) continue;
    double term = shares[j] * shares[j];
    in_modes += term;
    of_solves = std::hypot(of_solves, basis.inconsistency(j));
    for (Index k = 1; k <= left.known; ++k) left.of[static_cast<std::size_t>(k)] -= term /= lambda[j];
  }
  double rounding = in_modes * of_solves;
  bool hidden = false;
  for (std::size_t k = 1; k < left.of.size(); rounding /= lambda[0], ++k) {
    const double least = rounding_of_sums * target.sums.of[k] + static_cast<double>(k) * rounding;
    hidden = hidden || left.of[k] < least;
    left.of[k] = std::max(left.of[k], least);
  }
  return {left, hidden};
}

// Sums of |l b| / w^k: the smallest product of moments whose powers of w are together 2 k.
ModeSums RitzBounds::products(const Moments& l, const Moments& b) {
  ModeSums sums{};
  for (Index k = 2; k < static_cast<Index>(sums.size()); ++k) {
    double least = HUGE_VAL;
    for (Index p = 1; p <= std::min(l.known, k - 1); ++p)
      least = std::min(least, l.of[static_cast<std::size_t>(p)] * b.of[static_cast<std::size_t>(k - p)]);
    sums[static_cast<std::size_t>(k)] = std::sqrt(least);
  }
  return sums;
}

std::vector<RitzBound> RitzBounds::find(const RitzBasis& basis, const Vec& x0, const Vec& v0) {
  const Vec& lambda = basis.lambda();
  const ModeMask is_mode = converged_modes(basis);
  const Index size = basis.size();
  const Mat& loads = loads_;
  std::vector<Vec> load_shares;
  std::vector<Moments> load_left;
  for (Index i = 0; i < loads.cols(); ++i) {
    load_shares.push_back(basis.shares_of(loads.col(i)));
    load_left.push_back(moments_left(load_shares.back(), lambda, is_mode));
  }
  // Twice the energies of the initial state in what is not converged: of the whole structure and of the reduced one.
  const Vec u = basis.shares_of(start_), v = basis.shares_of(velocity_);
  double whole = start_energy_, reduced = 0;
  Index lowest = size - 1;  // of those that have not converged
  for (Index j = size; j-- > 0;)
    if (is_mode[j]) {
      whole -= v[j] * v[j] + lambda[j] * u[j] * u[j];
    } else {
      reduced += v0[j] * v0[j] + lambda[j] * x0[j] * x0[j];
      lowest = j;
    }
  whole = start_energy_ == 0 ? 0 : std::max(whole, rounding_of_sums * start_energy_);
  const double amplitude = std::sqrt(whole) + std::sqrt(reduced);

  std::vector<RitzBound> bounds;
  for (std::size_t k = 0; k < targets_.size(); ++k) {
    RitzBound bound{Vec::Zero(loads.cols()), 0};
    const RitzTarget& target = targets_[k];
    if (target.is_field()) {
      for (Index i = 0; i < loads.cols(); ++i) {
        ModeSums sums{};
        // Those of the whole structure and of the reduced one are the same.
        for (std::size_t k = 2; k < sums.size(); ++k)
          sums[k] = 2 * std::sqrt(load_left[static_cast<std::size_t>(i)].of[k]);
        bound.of_loads[i] = load_bound(i, sums);
      }
      bound.of_start = amplitude / std::sqrt(lambda[lowest]);
      bounds.push_back(bound);
      continue;
    }
    const Vec shares = basis.shares_of(target.weights);
    const Moments l = left_of(of_targets_[k], basis, is_mode);
    for (Index i = 0; i < loads.cols(); ++i) {
      const Vec& b = load_shares[static_cast<std::size_t>(i)];
      ModeSums sums = products(l, load_left[static_cast<std::size_t>(i)]);
      for (Index j = 0; j < size; ++j) {
        if (is_mode[j]) continue;
        const double w = std::sqrt(lambda[j]);
        double term = std::abs(shares[j] * b[j]) / w;
        for (std::size_t power = 2; power < sums.size(); ++power) sums[power] += term /= w;
      }
      bound.of_loads[i] = load_bound(i, sums);
    }
    bound.of_start = std::sqrt(l.of[1]) * amplitude;
    if (of_start_ == StartEstimate::statistical && start_energy_ > 0) {
      // Half the squares of the amplitudes of l^T u, of what the whole structure has and of what the reduced one has.
      const auto left = static_cast<double>(std::max<Index>(1, unknowns_ - is_mode.count()));
      double variance = 0.5 * l.of[1] * whole / left;
      for (Index j = 0; j < size; ++j)
        if (!is_mode[j]) variance += 0.5 * shares[j] * shares[j] * (v0[j] * v0[j] / lambda[j] + x0[j] * x0[j]);
      bound.of_start = std::min(bound.of_start, deviations * std::sqrt(variance));
    }
    bounds.push_back(bound);
  }
  return bounds;
}
}  // namespace trill
