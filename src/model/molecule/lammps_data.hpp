// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "model/molecule/force_provider.hpp"

#include <array>
#include <string>

namespace trill {
// A molecule in the words of LAMMPS.
struct LammpsData {
  std::string text;  // a data file; atoms are numbered from 1 in the order of the molecule
  std::string bond_style, angle_style, dihedral_style, improper_style;  // "zero" where there are none
  // Energies that LAMMPS does not count, because its forms of torsions have no constant of their own.
  std::array<double, ForceProvider::kinds> constant{};
};
// UsageError for terms that LAMMPS cannot express.
LammpsData lammps_data_of(const Molecule& molecule);
}  // namespace trill
