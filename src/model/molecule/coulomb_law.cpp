// SPDX-License-Identifier: BSD-3-Clause
#include "model/molecule/coulomb_law.hpp"

#include <cmath>
#include <numbers>

namespace trill {
namespace {
constexpr double nearest_in_table = 0.25;  // A^2

// The cubic with these values and derivatives at 0 and 1.
void join_ends(double f0, double d0, double f1, double d1, double* c) {
  c[0] = f0;
  c[1] = d0;
  c[2] = 3 * (f1 - f0) - 2 * d0 - d1;
  c[3] = 2 * (f0 - f1) + d0 + d1;
}
}  // namespace

CoulombLaw::CoulombLaw(Coulomb kind, double cutoff, double damping) : kind_(kind), cutoff_(cutoff), damping_(damping) {
  if (kind_ == Coulomb::none) return;
  if (kind_ == Coulomb::shifted || kind_ == Coulomb::dsf) {
    const ChargeEnergy end = unshifted(cutoff_);
    energy_shift_ = end.energy;
    slope_shift_ = end.slope;
  }
  from_ = nearest_in_table;
  const double wide = (cutoff_ * cutoff_ - from_) / bins;
  per_s_ = 1 / wide;
  table_.resize(bins + 1);
  // The derivative of the slope, by a difference that is small compared with a bin and large compared with rounding.
  const auto bend = [&](double s) {
    const double step = 1e-4 * s;
    return (8 * (exact(s + step).slope - exact(s - step).slope) -
            (exact(s + 2 * step).slope - exact(s - 2 * step).slope)) /
           (12 * step);
  };
  ChargeEnergy left = exact(from_);
  double left_bend = bend(from_);
  for (int k = 0; k <= bins; ++k) {
    const double s = from_ + (k + 1) * wide;
    const ChargeEnergy right = exact(s);
    const double right_bend = bend(s);
    Cubics& cubics = table_[static_cast<std::size_t>(k)];
    join_ends(left.energy, wide * left.slope, right.energy, wide * right.slope, cubics.energy);
    join_ends(left.slope, wide * left_bend, right.slope, wide * right_bend, cubics.slope);
    left = right;
    left_bend = right_bend;
  }
}

ChargeEnergy CoulombLaw::unshifted(double r) const {
  if (kind_ == Coulomb::cut || kind_ == Coulomb::shifted) return {1 / r, -1 / (r * r)};
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
