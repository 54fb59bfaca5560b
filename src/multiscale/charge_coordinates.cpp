// SPDX-License-Identifier: BSD-3-Clause
#include "multiscale/charge_coordinates.hpp"

#include "linalg/stored_entries.hpp"

#include <cmath>

namespace trill {
namespace {
MatrixSlot capacitances_at(const CircuitProblem& problem, double t, In x) {
  MatrixSlot dcharge = problem.jacobian_pattern(), dcurrent = dcharge;
  problem.jacobians(t, x, dcharge, dcurrent);
  return dcharge;
}
}  // namespace

ChargeCoordinates::ChargeCoordinates(const CircuitProblem& problem, double t, In x)
    : split_(capacitances_at(problem, t, x)), constants_(Vec::Zero(x.size())), capacity_(constants_) {
  Vec charges(x.size());
  problem.charge(x, charges);
  for (Index k = 0; k < all(); ++k) {
    if (split_.keeps_charge(k)) rows_.push_back(k);
    for (const auto& [equation, weight] : split_.combination(k)) constants_[k] += weight * charges[equation];
  }
  const MatrixSlot dcharge = capacitances_at(problem, t, x);
  each_stored(dcharge, [&](Index i, Index, Index place) {
    capacity_[i] = std::max(capacity_[i], std::abs(dcharge.values()[place]));
  });
}

void ChargeCoordinates::reduce(In charges, Out z) const {
  for (Index k = 0; k < independent(); ++k) z[k] = charges[row(k)];
}

void ChargeCoordinates::complete_direction(In dz, Out dcharges) const {
  dcharges.setZero();
  for (Index k = 0; k < independent(); ++k) dcharges[row(k)] = dz[k];
  for (Index k = 0; k < all(); ++k)
    for (const auto& [equation, weight] : split_.combination(k))
      if (equation != k) dcharges[k] -= weight * dcharges[equation];
}

void ChargeCoordinates::complete(In z, Out charges) const {
  complete_direction(z, charges);
  charges += constants_;
}
}  // namespace trill
