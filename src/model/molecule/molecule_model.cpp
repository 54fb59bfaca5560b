// SPDX-License-Identifier: BSD-3-Clause
#include "model/molecule/molecule_model.hpp"

#include "base/text.hpp"
#include "model/molecule/molecule_problem.hpp"
#include "model/molecule/molecule_reader.hpp"
#include "model/molecule/psf_reader.hpp"

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
  const double places = std::max(0.0, -std::floor(std::log10(longest))), shift = std::pow(10, places);
  return std::floor(longest * shift) / shift;
}

std::string count_text(std::size_t count, const char* what) {
  return count == 0 ? "" : fmt::format(", {} {}{}", count, what, count == 1 ? "" : "s");
}

constexpr const char* charmm = "CHARMM: Brooks et al., J. Comput. Chem. 30 (2009) 1545 (PSF and parameter files)";
constexpr const char* lammps =
    "LAMMPS: Thompson et al., Comput. Phys. Commun. 271 (2022) 108171 (format of data files)";

const char* reference_of(const MoleculeSettings& settings) {
  if (settings.forces == "openmm") return "OpenMM: Eastman et al., PLoS Comput. Biol. 13 (2017) e1005659 (forces)";
  if (settings.forces == "lammps") return "LAMMPS: Thompson et al., Comput. Phys. Commun. 271 (2022) 108171 (forces)";
  return nullptr;
}

ModelInfo info_of(const Molecule& m) {
  ModelInfo info;
  info.name = m.name;
  info.title = m.title.empty() ? m.name : m.title;
  const char* forces = reference_of(m.settings);
  info.reference = forces ? forces : m.reference;
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

std::string ending_of(const std::string& file) { return lower_snake(std::filesystem::path(file).extension().string()); }

Molecule read_data(const std::string& file, const std::string& text, const MoleculeSettings& settings) {
  const DataFile data(file, text);
  data.section("Atoms", "where the atoms are");
  Molecule molecule = MoleculeReader(data, settings).read();
  molecule.title = std::string(data.title());
  molecule.reference = lammps;
  return molecule;
}

Molecule read_psf(const ModelFolder& folder, const std::string& file, const std::string& name, const std::string& text,
                  const MoleculeSettings& settings, std::vector<std::string>& warnings) {
  const PsfFile psf(file, text);
  const auto beside = [&](const std::string& other) { return folder.read(other, psf.source(), 0, most_model_bytes); };
  const std::string positions = settings.coordinates == "beside" ? name + ".pdb" : settings.coordinates;
  CharmmParameters parameters;
  for (const std::string& other : split(settings.parameters == "beside" ? name + ".prm" : settings.parameters, ','))
    parameters.read(other, beside(other));
  Molecule molecule = molecule_of(psf, PdbFile(positions, beside(positions)), parameters, settings);
  molecule.title = psf.title;
  molecule.reference = charmm;
  if (psf.has_cross_terms)
    warnings.push_back("the cross terms of torsions (CMAP) of " + file +
                       " are left out, since trill does not have them");
  return molecule;
}

struct MoleculeAndWarnings {
  std::shared_ptr<Molecule> molecule;
  std::vector<std::string> warnings;
};

MoleculeAndWarnings read_any(const ModelFolder& folder, const std::string& file, const std::string& name,
                             const std::string& text, const OptionSet& parameters) {
  if (ending_of(file) == ".pdb")
    throw ModelError(
        fmt::format("{}: a PDB file says where atoms are and not which forces act on them; run the .psf "
                    "file to which it belongs",
                    file));
  const bool psf = ending_of(file) == ".psf";
  const auto settings = read_molecule_settings(parameters, name, psf ? charmm_settings() : MoleculeSettings());
  MoleculeAndWarnings read;
  read.molecule = std::make_shared<Molecule>(psf ? read_psf(folder, file, name, text, settings, read.warnings)
                                                 : read_data(file, text, settings));
  read.molecule->name = name;
  return read;
}
}  // namespace

bool is_molecule_file(const std::string& file) {
  const std::string ending = ending_of(file);
  return ending == ".data" || ending == ".lmp" || ending == ".lammps" || ending == ".psf" || ending == ".pdb";
}

TextModel read_molecule(const ModelFolder& folder, const std::string& file, const std::string& name,
                        const std::string& text, const OptionSet& parameters) {
  auto [molecule, warnings] = read_any(folder, file, name, text, parameters);
  TextModel model{info_of(*molecule), file, text, nullptr, std::move(warnings), folder.files_read()};
  if (molecule->settings.temperature > 0)
    model.problem = std::make_unique<MoleculeBath>(molecule);
  else
    model.problem = std::make_unique<MoleculeProblem>(molecule);
  return model;
}

std::vector<std::array<int, 2>> bonds_in(const std::string& name, const std::string& text,
                                         const OptionSet& parameters) {
  std::vector<std::array<int, 2>> bonds;
  try {
    for (const PsfFile::Term& bond : PsfFile(name + ".psf", text).bonds)
      bonds.push_back({bond.atoms[0], bond.atoms[1]});
    return bonds;
  } catch (const UsageError&) {
  }
  try {
    for (const BondTerm& bond : read_data(name + ".data", text, read_molecule_settings(parameters, name)).bonds)
      bonds.push_back({bond.i, bond.j});
  } catch (const UsageError&) {
  }
  return bonds;
}

ModelDescription describe_molecule(const ModelFolder& folder, const std::string& file, const std::string& name,
                                   const std::string& text) {
  const auto molecule = read_any(folder, file, name, text, {}).molecule;
  OptionLister lister;
  MoleculeSettings settings = molecule->settings;
  settings.fields(lister);
  return {info_of(*molecule), lister.rows};
}
}  // namespace trill
