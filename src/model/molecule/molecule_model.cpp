// SPDX-License-Identifier: BSD-3-Clause
#include "model/molecule/molecule_model.hpp"

#include "model/molecule/molecule_problem.hpp"
#include "model/molecule/molecule_reader.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

namespace trill {
namespace {
constexpr double angle_of_step = 0.25;  // h omega of the stiffest bond
constexpr double step_without_bonds = 2;
constexpr double usual_end = 1000;  // fs

double fastest_bond(const Molecule& m) {
  double square = 0;
  for (const BondTerm& bond : m.bonds) {
    const double stiffness =
        bond.form == BondTerm::Form::harmonic ? bond.stiffness : 2 * bond.stiffness * bond.alpha * bond.alpha;
    square = std::max(square, stiffness * (1 / m.mass[3 * bond.i] + 1 / m.mass[3 * bond.j]));
  }
  return std::sqrt(square);
}

// One digit, so that it reads well.
double usual_step(const Molecule& m) {
  const double fastest = fastest_bond(m);
  if (fastest == 0) return step_without_bonds;
  const double longest = std::min(angle_of_step / fastest, step_without_bonds);
  const double digit = std::pow(10, std::floor(std::log10(longest)));
  return digit * std::floor(longest / digit);
}

std::string count_text(std::size_t count, const char* what) {
  return count == 0 ? "" : fmt::format(", {} {}{}", count, what, count == 1 ? "" : "s");
}

ModelInfo info_of(const Molecule& m) {
  ModelInfo info;
  info.name = m.name;
  info.title = m.title.empty() ? m.name : m.title;
  info.reference = "LAMMPS: Thompson et al., Comput. Phys. Commun. 271 (2022) 108171 (format of data files)";
  static constexpr const char* charges[] = {"no charges", "Coulomb forces cut off", "shifted Coulomb forces",
                                            "damped shifted Coulomb forces", "Coulomb forces by an Ewald sum"};
  info.equations = fmt::format(
      "m r'' = -grad U, U = bonds + angles + dihedrals + impropers + pair, of {} atoms{}{}{}{}; Lennard-Jones, {}, "
      "cut-off {:g} A{}",
      m.atoms(), count_text(m.bonds.size(), "bond"), count_text(m.angles.size(), "angle"),
      count_text(m.dihedrals.size(), "dihedral"), count_text(m.impropers.size(), "improper"),
      charges[static_cast<std::size_t>(m.coulomb)], m.settings.cutoff,
      m.box.periodic()
          ? fmt::format(", periodic box {:g} x {:g} x {:g} A", m.box.length[0], m.box.length[1], m.box.length[2])
          : ", free space");
  info.run.method = m.settings.temperature > 0 ? "langevin_splitting" : "verlet";
  info.run.h = usual_step(m);
  info.run.to = usual_end;
  return info;
}

std::shared_ptr<Molecule> read_data(const std::string& file, const std::string& name, const std::string& text,
                                    const OptionSet& parameters) {
  const DataFile data(file, text);
  data.section("Atoms", "where the atoms are");
  const auto settings = read_molecule_settings(parameters, name);
  auto molecule = std::make_shared<Molecule>(MoleculeReader(data, settings).read());
  molecule->name = name;
  molecule->title = std::string(data.title());
  return molecule;
}
}  // namespace

bool is_molecule_file(const std::string& file) {
  std::string ending = std::filesystem::path(file).extension().string();
  std::transform(ending.begin(), ending.end(), ending.begin(), [](unsigned char c) { return std::tolower(c); });
  return ending == ".data" || ending == ".lmp" || ending == ".lammps";
}

TextModel read_molecule(const std::string& file, const std::string& name, const std::string& text,
                        const OptionSet& parameters, double) {
  const auto molecule = read_data(file, name, text, parameters);
  TextModel model{info_of(*molecule), file, text, nullptr, {}};
  if (molecule->settings.temperature > 0)
    model.problem = std::make_unique<MoleculeBath>(molecule);
  else
    model.problem = std::make_unique<MoleculeProblem>(molecule);
  return model;
}

ModelDescription describe_molecule(const std::string& file, const std::string& name, const std::string& text) {
  return {info_of(*read_data(file, name, text, {})), list_options<MoleculeSettings>()};
}
}  // namespace trill
