// SPDX-License-Identifier: BSD-3-Clause
#include "model/molecule/coulomb_law.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include <Eigen/LU>

namespace trill {
namespace {
// Polynomials of degree 5 over 1/20 of x^2 are off by less than rounding.
constexpr double pieces_per_square = 20;
constexpr double most_pieces = 16384;

// erf(x)/x and its derivative by z = x^2. Near 0 by its series, since the closed form of the derivative cancels there.
ChargeEnergy smeared(double z) {
  constexpr double twice = 2 * std::numbers::inv_sqrtpi;
  if (z < 1) {
    ChargeEnergy sum;
    double term = 1;  // (-z)^n / n!
    for (int n = 0; n < 20; ++n) {
      sum.energy += twice * term / (2 * n + 1);
      sum.slope -= twice * term / (2 * n + 3);
      term *= -z / (n + 1);
    }
    return sum;
  }
  const double x = std::sqrt(z), value = std::erf(x) / x;
  return {value, (std::numbers::inv_sqrtpi * std::exp(-z) - 0.5 * value) / z};
}
}  // namespace

CoulombLaw::CoulombLaw(Coulomb kind, double cutoff, double damping) : kind_(kind), cutoff_(cutoff), damping_(damping) {
  if (kind_ == Coulomb::none) return;
  if (kind_ == Coulomb::cut || kind_ == Coulomb::shifted) damping_ = 0;
  if (kind_ == Coulomb::shifted || kind_ == Coulomb::dsf) {
    const ChargeEnergy end = unshifted(cutoff_);
    energy_shift_ = end.energy;
    slope_shift_ = end.slope;
  }
  ramp_ = -slope_shift_;
  fill_table();
}

// Through the values at the zeros of a Chebyshev polynomial.
void CoulombLaw::fill_table() {
  constexpr int points = degree + 1;
  using Square = Eigen::Matrix<double, points, points>;
  using Column = Eigen::Matrix<double, points, 1>;
  Square powers;
  Column at;
  for (int i = 0; i < points; ++i) {
    at[i] = 0.5 - 0.5 * std::cos(std::numbers::pi * (i + 0.5) / points);
    for (int n = 0; n < points; ++n) powers(i, n) = std::pow(at[i], n);
  }
  const Eigen::PartialPivLU<Square> through(powers);
  const double reach = damping_ * cutoff_;
  const double pieces = std::clamp(std::ceil(pieces_per_square * reach * reach), 1.0, most_pieces);
  per_s_ = pieces / (cutoff_ * cutoff_);
  // One more, for a place that is rounded up to the end.
  slopes_.resize(static_cast<std::size_t>(pieces) + 1);
  energies_.resize(slopes_.size());
  for (std::size_t k = 0; k < slopes_.size(); ++k) {
    Column energy, slope;
    for (int i = 0; i < points; ++i) {
      const ChargeEnergy value = rest((static_cast<double>(k) + at[i]) / per_s_);
      energy[i] = value.energy;
      slope[i] = value.slope;
    }
    Eigen::Map<Column>(energies_[k].c) = through.solve(energy);
    Eigen::Map<Column>(slopes_[k].c) = through.solve(slope);
  }
}

ChargeEnergy CoulombLaw::rest(double s) const {
  const double constant = slope_shift_ * cutoff_ - energy_shift_;
  if (damping_ == 0) return {constant, 0};
  const ChargeEnergy value = smeared(damping_ * damping_ * s);
  return {constant - damping_ * value.energy, -damping_ * damping_ * damping_ * value.slope};
}

ChargeEnergy CoulombLaw::unshifted(double r) const {
  if (damping_ == 0) return {1 / r, -1 / (r * r)};
  const double x = damping_ * r, energy = std::erfc(x) / r;
  return {energy, -energy / r - 2 * damping_ * std::numbers::inv_sqrtpi * std::exp(-x * x) / r};
}

ChargeEnergy CoulombLaw::exact(double s) const {
  const double r = std::sqrt(s);
  const ChargeEnergy bare = unshifted(r);
  return {bare.energy - energy_shift_ - slope_shift_ * (r - cutoff_), (bare.slope - slope_shift_) / (2 * r)};
}

double CoulombLaw::self_energy() const {
  if (kind_ == Coulomb::dsf) return -0.5 * energy_shift_ - damping_ * std::numbers::inv_sqrtpi;
  if (kind_ == Coulomb::ewald) return -damping_ * std::numbers::inv_sqrtpi;
  return 0;
}
}  // namespace trill
