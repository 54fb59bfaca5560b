// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "model/molecule/charmm_parameters.hpp"
#include "model/molecule/molecule_checks.hpp"
#include "model/molecule/pdb_file.hpp"

namespace trill {
// Which atoms a PSF file has and what joins them.
class PsfFile final : public LineSource {
 public:
  PsfFile(const std::string& file, const std::string& text);
  struct Atom {
    std::string name, type;
    double charge = 0, mass = 0;
    std::size_t offset = 0;
  };
  struct Term {
    std::array<int, 4> atoms{};
    std::size_t offset = 0;
  };
  std::string title;
  std::vector<Atom> atoms;
  std::vector<Term> bonds, angles, dihedrals, impropers;
  bool has_cross_terms = false;  // CMAP

 private:
  void read_atoms(std::size_t& from, const DataLine& head, long long count);
  void read_terms(std::size_t& from, const DataLine& head, long long count, std::size_t each, std::vector<Term>& into);
};

// The forces of CHARMM on these atoms at the places of a PDB file.
Molecule molecule_of(const PsfFile& psf, const PdbFile& pdb, const CharmmParameters& parameters,
                     const MoleculeSettings& settings);
}  // namespace trill
