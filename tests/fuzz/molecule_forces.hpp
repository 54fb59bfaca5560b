// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "model/molecule/field_forces.hpp"
#include "model/molecule/molecule_reader.hpp"

#include <cstdlib>

namespace trill::fuzz {
inline void evaluate(const Molecule& molecule) {
  constexpr int most_atoms = 60, most_types = 20;
  const auto n = static_cast<std::size_t>(molecule.atoms());
  if (molecule.elements.size() != n || molecule.id.size() != n) std::abort();
  if (molecule.atoms() > most_atoms || molecule.types > most_types || molecule.coulomb == Coulomb::ewald) return;
  FieldForces forces(molecule);
  Vec f(molecule.start.size());
  forces.forces((1u << ForceProvider::kinds) - 1, molecule.start.data(), f.data());
  forces.energy(ForceProvider::pair, molecule.start.data());
}
}  // namespace trill::fuzz
