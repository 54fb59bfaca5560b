// SPDX-License-Identifier: BSD-3-Clause
#include "base/text.hpp"
#include "model/molecule/molecule.hpp"

#include <algorithm>
#include <cmath>

namespace trill {
void MoleculeSettings::fields(OptionVisitor& v) {
  v.choice("forces", forces, {"trill", "lammps", "openmm"}, "program that computes the forces");
  v.text("coordinates", coordinates, "a file",
         "for a .psf: PDB file with the positions; beside: NAME.pdb in the same folder");
  v.text("parameters", parameters, "files",
         "for a .psf: CHARMM parameters, such as a.prm,b.str; beside: NAME.prm in the same folder");
  v.number("cutoff", cutoff, Range::positive(), "A, distance beyond which atoms exert no pair forces on each other");
  v.number("skin", skin, Range::positive(), "A, pairs of atoms are listed up to this distance beyond the cut-off");
  v.choice("coulomb", coulomb, {"file", "none", "cut", "shifted", "dsf", "ewald"},
           "how charges act: as the file says, else damped and shifted (dsf)");
  v.number("damping", damping, Range::at_least(0), "1/A, damping of the Coulomb forces of dsf");
  v.number(
      "split", split, Range::at_least(0),
      "A, distance within which 1/r is in the group pair_short, and a smooth rest in pair_long; 0: all is in pair");
  v.choice("smooth", smooth, {"c1", "c2"}, "derivatives of that rest without a jump at the distance split");
  v.choice("mixing", mixing, {"geometric", "arithmetic"}, "mean that gives sigma of two types from those of each");
  v.choice("excluded", excluded, {"subtract", "skip"},
           "Coulomb forces of dsf between atoms one or two bonds apart: subtract 1/r from the law, or skip them");
  v.choice("shift", shift, {"yes", "no"}, "shift the Lennard-Jones energy to 0 at the cut-off");
  v.number("lj14", lj14, Range::at_least(0), "factor of the Lennard-Jones force of atoms three bonds apart");
  v.number("coulomb14", coulomb14, Range::at_least(0), "factor of the Coulomb force of atoms three bonds apart");
  v.number("temperature", temperature, Range::at_least(0), "K, temperature of the heat bath; 0: no heat bath");
  v.number("friction", friction, Range::at_least(0), "1/ps, friction of the heat bath");
}

MoleculeSettings charmm_settings() {
  MoleculeSettings settings;
  settings.mixing = "arithmetic";
  settings.cutoff = 12;
  settings.lj14 = settings.coulomb14 = 1;
  return settings;
}

std::string element_of(double mass) {
  struct Element {
    const char* name;
    double mass;
  };
  static constexpr Element elements[] = {
      {"H", 1.008},   {"He", 4.003},  {"Li", 6.94},   {"Be", 9.012},   {"B", 10.81},   {"C", 12.011},
      {"N", 14.007},  {"O", 15.999},  {"F", 18.998},  {"Ne", 20.18},   {"Na", 22.99},  {"Mg", 24.305},
      {"Al", 26.982}, {"Si", 28.085}, {"P", 30.974},  {"S", 32.06},    {"Cl", 35.45},  {"Ar", 39.95},
      {"K", 39.098},  {"Ca", 40.078}, {"Fe", 55.845}, {"Cu", 63.546},  {"Zn", 65.38},  {"Br", 79.904},
      {"Kr", 83.798}, {"Rb", 85.468}, {"I", 126.904}, {"Xe", 131.293}, {"Cs", 132.905}};
  for (const Element& element : elements)
    if (std::abs(mass - element.mass) < 0.02) return element.name;
  return "X";
}

MoleculeSettings read_molecule_settings(const OptionSet& given, const std::string& owner,
                                        const MoleculeSettings& usual) {
  OptionSet all = given;
  for (const Parameter& p : parameters_of(usual)) all.try_emplace(p.name, value_text(p));
  auto settings = read_options<MoleculeSettings>(all, owner, "parameter");
  settings.names_cutoff = given.contains("cutoff");
  return settings;
}

std::vector<Parameter> parameters_of(const MoleculeSettings& settings) {
  OptionLister lister;
  MoleculeSettings copy = settings;
  copy.fields(lister);
  std::vector<Parameter> parameters;
  for (const OptionRow& row : lister.rows) {
    const auto number = parse_number(row.value);
    parameters.push_back({row.name, "", row.what, number.value_or(0), number ? "" : row.value});
  }
  return parameters;
}
}  // namespace trill
