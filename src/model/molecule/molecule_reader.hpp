// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "model/molecule/data_file.hpp"
#include "model/molecule/molecule_checks.hpp"

#include <array>
#include <map>

namespace trill {
// Reads what a LAMMPS data file says about molecules, and checks that it makes sense.
class MoleculeReader final : private MoleculePlaces {
 public:
  MoleculeReader(const DataFile& file, const MoleculeSettings& settings) : file_(file) { m_.settings = settings; }
  Molecule read();

 private:
  using Coefficients = std::map<long long, const DataLine*>;
  struct Terms {  // of one kind: "Bonds", 2 atoms each
    std::string_view section, coefficients, noun;
    std::size_t atoms;
  };

  void read_header();
  void check_units() const;
  void read_masses();
  void read_atoms();
  std::string atom_style(const DataSection& atoms) const;
  void read_velocities();
  void read_pairs();
  void read_pair_cutoff(const DataLine& line, std::size_t word);
  void choose_coulomb();
  Coefficients coefficients_of(const Terms& terms) const;
  std::string style_of(const Terms& terms, std::string_view usual) const;
  // Calls make(line of the term, type, atoms, coefficients of the type) for each term.
  template <class Make>
  void each_term(const Terms& terms, Make make);
  void read_bonds();
  void read_angles();
  void read_torsions(const Terms& terms, std::vector<TorsionTerm>& into);
  TorsionTerm torsion(const std::string& style, const DataLine& c) const;
  int atom(const DataLine& line, std::size_t word) const;

  ModelError at_atom(int atom, std::string_view message) const override {
    return file_.error(*atom_line_[static_cast<std::size_t>(atom)], message);
  }
  ModelError at_bond(std::size_t bond, std::string_view message) const override {
    return file_.error(*bond_line_[bond], message);
  }
  ModelError at_box(std::string_view message) const override { return file_.error(*box_line_, message); }

  long long count_of(std::string_view what) const;
  void check_count(const DataSection& section, std::string_view what) const;
  int type_of(const DataLine& line, std::size_t word, std::string_view what, long long most) const;

  const DataFile& file_;
  Molecule m_;
  std::map<std::string, std::pair<long long, const DataLine*>, std::less<>> counts_;
  std::vector<double> type_mass_;
  std::vector<const DataLine*> atom_line_, bond_line_;
  std::map<long long, int> by_id_;
  const DataLine* box_line_ = nullptr;
  bool cutoff_in_file_ = false;
};
}  // namespace trill
