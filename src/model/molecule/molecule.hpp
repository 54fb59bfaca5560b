// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "model/molecule/box.hpp"
#include "trill/base/options.hpp"
#include "trill/base/types.hpp"
#include "trill/problem/problem.hpp"

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace trill {
// Molecules in the units that LAMMPS calls `real`: A, fs, kcal/mol, g/mol, charges of the electron, K. Masses are
// stored in kcal/mol fs^2/A^2, so that force/mass is an acceleration.
namespace real_units {
inline constexpr double mass = 1 / 4.184e-4;  // of 1 g/mol; 4184 J are 1 kcal
inline constexpr double boltzmann = 0.0019872067;
inline constexpr double coulomb = 332.06371;
}  // namespace real_units

// What a data file leaves open.
struct MoleculeSettings {
  double cutoff = 9, skin = 2, damping = 0.2, lj14 = 0, coulomb14 = 0, split = 0, temperature = 0, friction = 5;
  std::string forces = "trill", coulomb = "file", smooth = "c2", mixing = "geometric", shift = "yes",
              excluded = "subtract";
  std::string coordinates = "beside", parameters = "beside";  // files of a .psf; beside: those of its name
  bool names_cutoff = false;                                  // then that of the file does not count
  void fields(OptionVisitor& v);
};
// The element with this mass in g/mol, or X.
std::string element_of(double mass);

MoleculeSettings read_molecule_settings(const OptionSet& given, const std::string& owner,
                                        const MoleculeSettings& usual = {});
MoleculeSettings charmm_settings();  // what is usual with the parameters of CHARMM
std::vector<Parameter> parameters_of(const MoleculeSettings& settings);

enum class Coulomb { none, cut, shifted, dsf, ewald };

// Harmonic terms have the factor 1/2, other than in the file.
struct BondTerm {
  enum class Form : std::uint8_t { harmonic, morse } form = Form::harmonic;
  int i = 0, j = 0, type = 0;
  double stiffness = 0, length = 0;  // morse: depth; the width is that of `alpha`
  double alpha = 0;
};
struct AngleTerm {
  int i = 0, j = 0, k = 0, type = 0;
  double stiffness = 0, angle = 0;
};
// constant + sum_n cosine_n cos(n phi) + sine_n sin(n phi); or stiffness/2 (|phi| - angle)^2
struct TorsionTerm {
  static constexpr int most_waves = 6;
  int i = 0, j = 0, k = 0, l = 0;
  bool harmonic = false;
  double constant = 0, stiffness = 0, angle = 0;
  std::array<double, most_waves> cosine{}, sine{};
};
struct LennardJones {
  double epsilon = 0, sigma = 0;
};
// Atoms one, two or three bonds apart; i < j.
struct SpecialPair {
  int i = 0, j = 0;
  double lj = 0, coulomb = 0;  // factors
  bool third = false;          // three bonds apart
};

struct Molecule {
  std::string name, title, reference;
  MoleculeSettings settings;
  Coulomb coulomb = Coulomb::none;
  Box box;
  std::vector<long long> id;  // of each atom, as in the file
  std::vector<int> type;      // 0, 1, ...
  int types = 0;
  Vec mass, charge, start, velocity;  // mass: one for each coordinate
  std::vector<LennardJones> pairs;    // types x types
  std::vector<LennardJones> pairs14;  // of atoms three bonds apart; empty: the same
  std::vector<std::string> elements;  // of each atom, such as O
  std::vector<BondTerm> bonds;
  std::vector<BondTerm> spans;  // Urey-Bradley terms, which belong to the angles
  std::vector<AngleTerm> angles;
  std::vector<TorsionTerm> dihedrals, impropers;
  std::vector<SpecialPair> special;  // sorted

  int atoms() const { return static_cast<int>(type.size()); }
  // Pairs that bonds join are counted by the damped law and 1/r is subtracted, as LAMMPS does; otherwise they are
  // skipped. An Ewald sum has all pairs in its waves.
  bool takes_bare_charges_off() const {
    return coulomb == Coulomb::ewald || (coulomb == Coulomb::dsf && settings.excluded == "subtract");
  }
  std::size_t place_of(int i, int j) const {  // of the two types among pairs
    return static_cast<std::size_t>(type[static_cast<std::size_t>(i)] * types + type[static_cast<std::size_t>(j)]);
  }
  const LennardJones& pair(int i, int j) const { return pairs[place_of(i, j)]; }
  const LennardJones& pair(const SpecialPair& p) const {
    return (p.third && !pairs14.empty() ? pairs14 : pairs)[place_of(p.i, p.j)];
  }
};
}  // namespace trill
