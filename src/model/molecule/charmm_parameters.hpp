// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "model/molecule/line_source.hpp"
#include "model/molecule/molecule.hpp"

#include <map>

namespace trill {
// The parameters of a CHARMM force field (.prm, .par, .str): for names of atom types, in any order of the files. Later
// lines replace earlier ones for the same names; lines of one dihedral that follow each other add up.
class CharmmParameters {
 public:
  void read(const std::string& file, const std::string& text);

  // Each is nullptr or empty if the files do not have it.
  using Names = std::vector<std::string>;
  struct Bond {
    double stiffness = 0, length = 0;  // with the factor 1/2 in the energy, as in Molecule
  };
  struct Angle {
    double stiffness = 0, angle = 0, span_stiffness = 0, span = 0;
  };
  struct Wave {
    double size = 0, phase = 0;  // size (1 + cos(n phi - phase))
    int n = 0;
  };
  struct Improper {
    double stiffness = 0, angle = 0;
    int n = 0;  // 0: harmonic, otherwise a wave of the size stiffness/2
  };
  struct Atom {
    LennardJones pair, pair14;
    bool has14 = false;
  };
  const Bond* bond(const Names& names) const;
  const Angle* angle(const Names& names) const;
  std::vector<Wave> dihedral(const Names& names) const;
  const Improper* improper(const Names& names) const;
  const Atom* atom(const std::string& name) const;
  // For two types: by the rules of Lorentz and Berthelot, unless the files say otherwise.
  LennardJones mixed(const std::string& a, const std::string& b, bool third) const;

 private:
  class Reader;
  struct Exception {
    LennardJones pair, pair14;
  };
  std::map<Names, Bond> bonds_;
  std::map<Names, Angle> angles_;
  std::map<Names, std::vector<Wave>> dihedrals_;
  std::map<Names, Improper> impropers_;
  std::map<std::string, Atom> atoms_;
  std::map<Names, Exception> exceptions_;
};
}  // namespace trill
