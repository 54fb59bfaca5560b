// SPDX-License-Identifier: BSD-3-Clause
#include "model/molecule/molecule_reader.hpp"

#include "base/text.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

namespace trill {
namespace {
constexpr long long most_atoms = 1'000'000;
}  // namespace

Molecule MoleculeReader::read() {
  check_units();
  read_header();
  read_masses();
  read_atoms();
  read_velocities();
  read_bonds();
  read_angles();
  read_torsions({"Dihedrals", "Dihedral Coeffs", "dihedral", 4}, m_.dihedrals);
  read_torsions({"Impropers", "Improper Coeffs", "improper", 4}, m_.impropers);
  read_pairs();
  choose_coulomb();
  complete_molecule(m_, *this);
  return std::move(m_);
}

// LAMMPS writes the name of its units into the first line.
void MoleculeReader::check_units() const {
  const std::string_view title = file_.title();
  const auto at = title.find("units");
  if (at == std::string_view::npos) return;
  auto from = title.find_first_not_of(" =", at + 5);
  if (from == std::string_view::npos) return;
  const std::string_view units = title.substr(from, title.find_first_of(" ,\r", from) - from);
  if (units != "real")
    throw file_.source().error(from, fmt::format("the units of this file are '{}'; trill reads files in the units "
                                                 "'real' (A, fs, kcal/mol, g/mol)",
                                                 shortened(units)));
}

void MoleculeReader::read_header() {
  static const std::vector<std::string> known{"atoms",          "bonds",         "angles",     "dihedrals",
                                              "impropers",      "atom types",    "bond types", "angle types",
                                              "dihedral types", "improper types"};
  for (const DataLine& line : file_.header()) {
    const std::string_view last = line.words.back().text;
    if (last == "xhi" || last == "yhi" || last == "zhi") {
      file_.expect(line, 4, fmt::format("low high {}lo {}hi", last[0], last[0]));
      const auto axis = static_cast<std::size_t>(last[0] - 'x');
      const double low = file_.number(line, 0, "the lower end of the box"),
                   high = file_.number(line, 1, "the upper end of the box");
      if (!(high > low)) throw file_.error(line, "the upper end of the box must be above the lower one");
      m_.box.origin[axis] = low;
      m_.box.length[axis] = high - low;
      m_.box.inverse[axis] = 1 / (high - low);
      box_line_ = &line;
    } else if (last == "yz") {
      for (std::size_t k = 0; k < 3; ++k)
        if (file_.number(line, k, "a tilt of the box") != 0)
          throw file_.error(line, "the box is tilted; trill has rectangular boxes only");
    } else if (line.words.size() >= 2 && line.words[1].text != "extra") {
      std::string what;
      for (std::size_t k = 1; k < line.words.size(); ++k) what += (k > 1 ? " " : "") + std::string(line.words[k].text);
      if (std::find(known.begin(), known.end(), what) == known.end())
        throw file_.error(line, fmt::format("trill does not know '{}' in the head of a data file{}", shortened(what),
                                            suggest(what, known)));
      counts_[what] = {file_.integer(line, 0, "the number of " + what), &line};
    }
  }
  if (box_line_)
    for (std::size_t k = 0; k < 3; ++k)
      if (m_.box.length[k] == 0)
        throw file_.error(*box_line_, fmt::format("the box has no line '{0}lo {0}hi'", "xyz"[k]));
  if (count_of("atoms") < 1 || count_of("atoms") > most_atoms)
    throw file_.source().error(
        fmt::format("a data file states its number of atoms, from 1 to {}, in a line such as '648 atoms'", most_atoms));
}

long long MoleculeReader::count_of(std::string_view what) const {
  const auto found = counts_.find(what);
  return found == counts_.end() ? 0 : found->second.first;
}

void MoleculeReader::check_count(const DataSection& section, std::string_view what) const {
  const auto stated = counts_.find(what);
  const auto lines = static_cast<long long>(section.lines.size());
  if (stated == counts_.end() ? lines > 0 : stated->second.first != lines)
    throw file_.error(stated == counts_.end() ? section.title : *stated->second.second,
                      fmt::format("the head says {} {}, but there are {} lines of them", count_of(what), what, lines));
}

int MoleculeReader::type_of(const DataLine& line, std::size_t word, std::string_view what, long long most) const {
  const long long type = file_.integer(line, word, what);
  if (type < 1 || type > most)
    throw file_.source().error(line.words[word].offset,
                               fmt::format("{} is {}, but the head says that there are {}", what, type, most));
  return static_cast<int>(type - 1);
}

void MoleculeReader::read_masses() {
  m_.types = static_cast<int>(std::min(count_of("atom types"), most_atoms));
  type_mass_.assign(static_cast<std::size_t>(m_.types), 0);
  for (const DataLine& line : file_.section("Masses", "the mass of each type of atoms").lines) {
    const int type = type_of(line, 0, "the type of atoms", m_.types);
    const double mass = file_.number(line, 1, "the mass");
    if (!(mass > 0)) throw file_.error(line, fmt::format("the mass must be positive, not {}", mass));
    type_mass_[static_cast<std::size_t>(type)] = mass;
  }
}

// Without a comment such as "Atoms # full" the number of columns says it, where it can.
std::string MoleculeReader::atom_style(const DataSection& atoms) const {
  const std::string_view stated = atoms.title.comment;
  if (stated == "bond" || stated == "angle") return "molecular";
  if (stated == "full" || stated == "molecular" || stated == "charge" || stated == "atomic") return std::string(stated);
  if (!stated.empty())
    throw file_.error(atoms.title, fmt::format("trill does not know atoms of the style '{}'; it reads full, molecular, "
                                               "charge and atomic",
                                               shortened(stated)));
  const std::size_t columns = atoms.lines.empty() ? 0 : atoms.lines.front().words.size();
  if (columns == 7 || columns == 10) return "full";
  throw file_.error(atoms.title,
                    "write which columns the atoms have, as in 'Atoms # full' (full, molecular, charge or "
                    "atomic)");
}

void MoleculeReader::read_atoms() {
  const DataSection& section = file_.section("Atoms", "where the atoms are");
  check_count(section, "atoms");
  const std::string style = atom_style(section);
  const bool has_molecule = style == "full" || style == "molecular", has_charge = style == "full" || style == "charge";
  const std::size_t type_at = has_molecule ? 2 : 1, charge_at = type_at + 1, x_at = charge_at + (has_charge ? 1 : 0);
  const auto n = static_cast<Index>(section.lines.size());
  m_.mass = m_.start = m_.velocity = Vec::Zero(3 * n);
  m_.charge = Vec::Zero(n);
  Index i = 0;
  for (const DataLine& line : section.lines) {
    const bool images = line.words.size() == x_at + 6;
    if (!images && line.words.size() != x_at + 3)
      throw file_.error(line, fmt::format("an atom of the style {} has {} columns, or {} with image flags; this line "
                                          "has {}",
                                          style, x_at + 3, x_at + 6, line.words.size()));
    const long long id = file_.integer(line, 0, "the number of the atom");
    if (!by_id_.emplace(id, static_cast<int>(i)).second)
      throw file_.error(line, fmt::format("atom {} is there twice", id));
    const int type = type_of(line, type_at, "the type of the atom", m_.types);
    const double mass = type_mass_[static_cast<std::size_t>(type)];
    if (mass == 0) throw file_.error(line, fmt::format("atom type {} has no line in 'Masses'", type + 1));
    m_.id.push_back(id);
    m_.type.push_back(type);
    m_.elements.push_back(element_of(mass));
    atom_line_.push_back(&line);
    if (has_charge) m_.charge[i] = file_.number(line, charge_at, "the charge");
    for (std::size_t k = 0; k < 3; ++k) {
      const auto at = 3 * i + static_cast<Index>(k);
      m_.mass[at] = mass * real_units::mass;
      m_.start[at] = file_.number(line, x_at + k, "a coordinate");
      if (images)
        m_.start[at] +=
            m_.box.length[k] * static_cast<double>(file_.integer(line, x_at + 3 + k, "the number of an image"));
    }
    ++i;
  }
}

int MoleculeReader::atom(const DataLine& line, std::size_t word) const {
  const long long id = file_.integer(line, word, "the number of an atom");
  const auto found = by_id_.find(id);
  if (found == by_id_.end())
    throw file_.source().error(line.words[word].offset, fmt::format("there is no atom {} in 'Atoms'", id));
  return found->second;
}

void MoleculeReader::read_velocities() {
  const DataSection* section = file_.find("Velocities");
  if (!section) return;
  for (const DataLine& line : section->lines) {
    file_.expect(line, 4, "atom vx vy vz");
    const Index i = atom(line, 0);
    for (std::size_t k = 0; k < 3; ++k)
      m_.velocity[3 * i + static_cast<Index>(k)] = file_.number(line, 1 + k, "a velocity");
  }
}
}  // namespace trill
