// SPDX-License-Identifier: BSD-3-Clause
// Forces computed by other programs equal those of trill, if their libraries are installed.
#include "model/molecule/field_forces.hpp"
#include "model/molecule/molecule_reader.hpp"
#include "model/molecule/psf_reader.hpp"
#include "support/allocation_count.hpp"
#include "support/text_models.hpp"

#include <fstream>
#include <sstream>

namespace trill::testing_models {
namespace {
std::string molecules_text(const std::string& name) {
  std::ifstream in(TRILL_SOURCE_DIR "/examples/molecules/" + name);
  std::stringstream text;
  text << in.rdbuf();
  return text.str();
}

Molecule water_with(const OptionSet& settings) {
  const DataFile file("water.data", molecules_text("water.data"));
  return MoleculeReader(file, read_molecule_settings(settings, "water")).read();
}

// The molecule has every kind of term, and atoms three bonds apart whose interaction is scaled.
Molecule acetamide_with(const OptionSet& settings) {
  std::string prm = molecules_text("acetamide.prm");
  // Special coefficients for atoms three bonds apart are removed, because they are not passed to LAMMPS.
  for (const std::string& of14 :
       {std::string("   0.000000  -0.010000     1.900000"), std::string("   0.000000  -0.120000     1.400000")})
    prm.erase(prm.find(of14), of14.size());
  CharmmParameters parameters;
  parameters.read("a.prm", prm);
  return molecule_of(PsfFile("a.psf", molecules_text("acetamide.psf")),
                     PdbFile("a.pdb", molecules_text("acetamide.pdb")), parameters,
                     read_molecule_settings(settings, "acetamide", charmm_settings()));
}

class OtherForces : public testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    if (!counts_allocations()) GTEST_SKIP() << "what LAMMPS, MPI and OpenMM never free would count as leaks of ours";
  }
  std::unique_ptr<ForceProvider> made(Molecule& molecule) {
    molecule.settings.forces = GetParam();
    try {
      return make_forces(molecule);
    } catch (const UsageError& e) {
      EXPECT_NE(std::string(e.what()).find("apt install"), std::string::npos) << e.what();
      return nullptr;
    }
  }
  // The tolerance of forces is relative to the largest one (at least 1 kcal/mol/A), that of energies is in kcal/mol.
  void compare(const Molecule& molecule, ForceProvider& other, double force_tolerance, double energy_tolerance) {
    FieldForces own(molecule);
    Vec mine(molecule.start.size()), theirs(molecule.start.size());
    Vec q = molecule.start;
    for (int round = 0; round < 2; ++round) {
      for (unsigned kind = 0; kind <= ForceProvider::pair; ++kind) {
        own.forces(1u << kind, q.data(), mine.data());
        other.forces(1u << kind, q.data(), theirs.data());
        const double size = std::max(1.0, mine.cwiseAbs().maxCoeff());
        const double tolerance = kind == ForceProvider::pair ? force_tolerance : 1e-10;
        EXPECT_LT((mine - theirs).cwiseAbs().maxCoeff(), tolerance * size) << GetParam() << " kind " << kind;
        const auto of = static_cast<ForceProvider::Kind>(kind);
        EXPECT_NEAR(own.energy(of, q.data()), other.energy(of, q.data()), kind == 4 ? energy_tolerance : 1e-7)
            << GetParam() << " kind " << kind;
      }
      // In the second round the atoms have moved, and whole molecules are in other periodic images.
      for (Index i = 0; i < q.size(); ++i) q[i] += 0.05 * std::sin(static_cast<double>(i));
      if (molecule.box.periodic()) q.head(9 * 5).array() += molecule.box.length[0];
    }
    const unsigned all = (1u << (ForceProvider::pair + 1)) - 1;
    own.forces(all, q.data(), mine.data());
    other.forces(all, q.data(), theirs.data());
    EXPECT_LT((mine - theirs).cwiseAbs().maxCoeff(), force_tolerance * mine.cwiseAbs().maxCoeff());
  }
};

// LAMMPS approximates erfc by a polynomial, and OpenMM computes pairs in single precision.
TEST_P(OtherForces, WaterWithDampedCharges) {
  Molecule molecule = water_with({{"coulomb", "dsf"}});
  const auto other = made(molecule);
  if (!other) GTEST_SKIP() << GetParam() << " is not installed";
  compare(molecule, *other, 1e-5, 2e-2);
}

TEST_P(OtherForces, WaterWithAnEwaldSum) {
  Molecule molecule = water_with({{"coulomb", "ewald"}, {"shift", "no"}});
  const auto other = made(molecule);
  if (!other) GTEST_SKIP() << GetParam() << " is not installed";
  compare(molecule, *other, 5e-5, 0.2);
}

TEST_P(OtherForces, AllKindsOfTerms) {
  Molecule molecule = acetamide_with({{"coulomb", "cut"}, {"lj14", "0.5"}, {"coulomb14", "0.8"}});
  const auto other = made(molecule);
  if (!other) GTEST_SKIP() << GetParam() << " is not installed";
  compare(molecule, *other, 1e-6, 1e-5);
}

TEST_P(OtherForces, PlacesThatAreNotFiniteGiveNoForces) {
  Molecule molecule = acetamide_with({{"coulomb", "cut"}});
  const auto other = made(molecule);
  if (!other) GTEST_SKIP() << GetParam() << " is not installed";
  Vec q = molecule.start, f = Vec::Zero(q.size());
  q[4] = std::nan("");
  other->forces(31, q.data(), f.data());
  EXPECT_FALSE(f.allFinite());
}

INSTANTIATE_TEST_SUITE_P(Molecule, OtherForces, testing::Values("lammps", "openmm"),
                         [](const auto& info) { return std::string(info.param); });

TEST(OtherForcesRefused, WhatTheyCannotDoIsSaid) {
  Molecule molecule = water_with({{"coulomb", "shifted"}});
  molecule.settings.forces = "lammps";
  EXPECT_THROW(make_forces(molecule), UsageError);
}
}  // namespace
}  // namespace trill::testing_models
