// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "model/molecule/molecule.hpp"
#include "trill/model/source_text.hpp"

namespace trill {
// Where a file states a thing, for messages.
class MoleculePlaces {
 public:
  virtual ~MoleculePlaces() = default;
  virtual ModelError at_atom(int atom, std::string_view message) const = 0;
  virtual ModelError at_bond(std::size_t bond, std::string_view message) const = 0;
  virtual ModelError at_box(std::string_view message) const = 0;
};

// What a molecule means as a whole: which atoms belong together, and whether they can be where the file says. Fills in
// the special pairs and moves the atoms of a molecule next to each other. ModelError for what cannot be.
void complete_molecule(Molecule& molecule, const MoleculePlaces& places);

// Which angles cannot all be rigid together with the bonds; empty: none was found.
std::string over_determined_angles(const Molecule& molecule);
Coulomb coulomb_from(const std::string& word);                         // as the parameter `coulomb` names it
void check_ewald(const Molecule& molecule, const SourceText& source);  // ModelError if there can be no Ewald sum
}  // namespace trill
