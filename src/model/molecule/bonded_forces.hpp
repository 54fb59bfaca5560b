// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "model/molecule/molecule.hpp"

#include <span>

namespace trill {
// Forces of terms of each kind are added to f; the energy is returned.
double add_bonds(std::span<const BondTerm> bonds, const double* q, double* f);
double add_angles(std::span<const AngleTerm> angles, const double* q, double* f);
double add_torsions(std::span<const TorsionTerm> torsions, const double* q, double* f);

double bond_length(const BondTerm& bond, const double* q);
double bond_angle(const AngleTerm& angle, const double* q);
}  // namespace trill
