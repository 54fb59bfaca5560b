// SPDX-License-Identifier: BSD-3-Clause
#include "multiscale/ritz_bounds.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace trill {
namespace {
constexpr double rounding_of_sums = 1e-15;
}

ModeMask converged_modes(const RitzBasis& basis) {
  ModeMask is_mode(basis.size());
  for (Index j = 0; j < basis.size(); ++j) is_mode[j] = basis.residual(j) <= converged_mode;
  return is_mode;
}

RitzBounds::RitzBounds(const LinearStructure& structure, const SparseCholesky& factors, const State& start,
                       std::vector<RitzTarget> targets, const LoadVariation& variation)
    : structure_(structure),
      damping_(structure.proportional_damping().value_or(ProportionalDamping{})),
      targets_(std::move(targets)),
      variation_(variation) {
  const SpMat& m = structure.mass_matrix();
  const auto norms = [&](const Vec& b, bool thrice) {
    const Vec x = factors.solve(b), mx = m * x;
    solves_ += thrice ? 2 : 1;
    return Norms{b.dot(x), x.dot(mx), thrice ? mx.dot(factors.solve(mx)) : 0};
  };
  const bool field = std::any_of(targets_.begin(), targets_.end(), [](const RitzTarget& t) { return t.is_field(); });
  const Mat& loads = structure.load_shapes();
  for (Index i = 0; i < loads.cols(); ++i) of_loads_.push_back(norms(loads.col(i), field));
  for (const RitzTarget& target : targets_)
    of_targets_.push_back(target.is_field() ? Norms{} : norms(target.weights, false));
  start_ = m * start.q();
  velocity_ = m * start.v();
  start_energy_ = quadratic_form(structure.stiffness_matrix(), start.q()) + start.v().dot(velocity_);
}

// What is left of the sums over all modes. Below rounding it is taken for rounding.
RitzBounds::Norms RitzBounds::without(const Norms& all, const Vec& shares, const Vec& lambda,
                                      const ModeMask& is_mode) const {
  Norms left = all;
  for (Index j = 0; j < lambda.size(); ++j) {
    if (!is_mode[j]) continue;
    const double square = shares[j] * shares[j];
    left.w2 -= square / lambda[j];
    left.w4 -= square / (lambda[j] * lambda[j]);
    left.w6 -= square / (lambda[j] * lambda[j] * lambda[j]);
  }
  return {std::max(left.w2, rounding_of_sums * all.w2), std::max(left.w4, rounding_of_sums * all.w4),
          std::max(left.w6, rounding_of_sums * all.w6)};
}

Vec RitzBounds::shares_of(const RitzBasis& basis, const Vec& vector) const {
  return basis.combinations().transpose() * (basis.vectors().transpose() * vector);
}

double RitzBounds::load_factor(Index load, double w2, double w3) const {
  const LoadVariation& p = variation_;
  double sum = p.jumps[load] * w2 + (p.slope_start[load] + p.slope_total[load]) * w3;
  if (damping_.mass != 0) sum += std::abs(damping_.mass) * p.total[load] * w3;
  const double a1 = std::abs(damping_.stiffness);
  sum += std::min(p.steepest[load] * (a1 * w2 + 4 / std::numbers::pi * w3),
                  2 * a1 * (p.slope_start[load] + p.slope_total[load]) * w2);
  return sum;
}

std::vector<RitzBound> RitzBounds::find(const RitzBasis& basis, const Vec& x0, const Vec& v0) const {
  const Vec& lambda = basis.lambda();
  const ModeMask is_mode = converged_modes(basis);
  const Index size = basis.size();
  const Mat& loads = structure_.load_shapes();
  std::vector<Vec> load_shares;
  std::vector<Norms> load_left;
  for (Index i = 0; i < loads.cols(); ++i) {
    load_shares.push_back(shares_of(basis, loads.col(i)));
    load_left.push_back(without(of_loads_[static_cast<std::size_t>(i)], load_shares.back(), lambda, is_mode));
  }
  // Twice the energies of the initial state in what is not converged: of the whole structure and of the reduced one.
  const Vec u = shares_of(basis, start_), v = shares_of(basis, velocity_);
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
        const Norms& b = load_left[static_cast<std::size_t>(i)];
        // The reduced sums are not larger than those of the whole structure.
        bound.of_loads[i] = 2 * load_factor(i, std::sqrt(b.w4), std::sqrt(b.w6));
      }
      bound.of_start = amplitude / std::sqrt(lambda[lowest]);
      bounds.push_back(bound);
      continue;
    }
    const Vec shares = shares_of(basis, target.weights);
    const Norms l = without(of_targets_[k], shares, lambda, is_mode);
    for (Index i = 0; i < loads.cols(); ++i) {
      const Norms& b = load_left[static_cast<std::size_t>(i)];
      double w2 = std::sqrt(l.w2 * b.w2), w3 = std::sqrt(std::min(l.w2 * b.w4, l.w4 * b.w2));
      for (Index j = 0; j < size; ++j) {
        if (is_mode[j]) continue;
        const double product = std::abs(shares[j] * load_shares[static_cast<std::size_t>(i)][j]);
        w2 += product / lambda[j];
        w3 += product / (lambda[j] * std::sqrt(lambda[j]));
      }
      bound.of_loads[i] = load_factor(i, w2, w3);
    }
    bound.of_start = std::sqrt(l.w2) * amplitude;
    bounds.push_back(bound);
  }
  return bounds;
}
}  // namespace trill
