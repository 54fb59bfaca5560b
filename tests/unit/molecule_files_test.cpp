// SPDX-License-Identifier: BSD-3-Clause
// Molecules from PSF, PDB and CHARMM parameter files, and their motion written as XYZ, DCD and H5MD.
#include "model/molecule/psf_reader.hpp"
#include "support/text_models.hpp"
#include "trill/solution/solution_file.hpp"

#include <cstring>
#include <fstream>
#include <numbers>
#include <sstream>

#include <fmt/format.h>

namespace trill::testing_models {
namespace {
namespace fs = std::filesystem;

std::string example_text(const std::string& name) {
  std::ifstream in(fs::path(TRILL_SOURCE_DIR) / "examples/molecules" / name, std::ios::binary);
  std::stringstream text;
  text << in.rdbuf();
  return text.str();
}

// The three files of acetamide, one of which can be changed.
struct Acetamide {
  std::string psf = example_text("acetamide.psf"), pdb = example_text("acetamide.pdb"),
              prm = example_text("acetamide.prm");
  static void change(std::string& text, const std::string& what, const std::string& by) {
    const auto at = text.find(what);
    ASSERT_NE(at, std::string::npos) << what;
    text.replace(at, what.size(), by);
  }
  Molecule molecule() const {
    CharmmParameters parameters;
    parameters.read("a.prm", prm);
    return molecule_of(PsfFile("a.psf", psf), PdbFile("a.pdb", pdb), parameters, charmm_settings());
  }
  std::string said() const {
    try {
      molecule();
    } catch (const UsageError& e) {
      const std::string whole = e.what();
      return whole.substr(0, whole.find('\n'));
    }
    return "accepted";
  }
};

const fs::path examples = fs::path(TRILL_SOURCE_DIR) / "examples/molecules", acetamide = examples / "acetamide.psf";

void expect_energies(const fs::path& file, const OptionSet& parameters, const std::vector<double>& expected) {
  const TextModel model = load_model(file, parameters);
  const MechanicalProblem& p = mechanics(model);
  const Vec q = p.initial_state().q();
  ASSERT_EQ(p.groups().size(), expected.size());
  for (std::size_t g = 0; g < expected.size(); ++g)
    EXPECT_NEAR(*p.potential(Groups{1} << g, 0, q), expected[g], 2e-9) << p.groups()[g].name;
}

// The expected energies are those of LAMMPS (29 September 2021) with bond harmonic, angle and dihedral charmm,
// improper harmonic and lj/charmm/coul/charmm; its switching function begins beyond the molecule.
TEST(MoleculeFiles, CharmmEnergiesAreThoseOfLammps) {
  expect_energies(acetamide, {{"cutoff", "30"}, {"shift", "no"}},
                  {0.6303761862, 0.6568042283, 1.0296317085, 0.1491810689, -0.0653778335 - 40.3798135238});
  const TextModel model = load_model(acetamide);
  EXPECT_EQ(model.info.title, "Acetamide with a united CH3");
  EXPECT_EQ(model.inputs.size(), 2u);
}

// An independent program that reads the same three files.
TEST(MoleculeFiles, ADipeptideHasTheEnergiesOfAnotherProgram) {
  expect_energies(examples / "alanine_dipeptide.psf", {{"shift", "no"}},
                  {0.0011543007, 0.3183654937, 3.8999014066, 0.0014087776, 5.7880687221 - 21.4469802060});
}

class CharmmForces : public testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(MoleculeFiles, CharmmForces, testing::Values("acetamide.psf", "alanine_dipeptide.psf"));

TEST_P(CharmmForces, AreGradients) {
  const TextModel model = load_model(examples / GetParam());
  const MechanicalProblem& p = mechanics(model);
  const Vec q = p.initial_state().q(), f = force_of(p, 0, q, Vec::Zero(q.size()));
  for (Index i = 0; i < q.size(); ++i) {
    const auto energy = [&](double by) {
      Vec moved = q;
      moved[i] += by;
      return *p.potential(all_groups, 0, moved);
    };
    const double h = 1e-4, slope = (8 * (energy(h) - energy(-h)) - (energy(2 * h) - energy(-2 * h))) / (12 * h);
    EXPECT_NEAR(f[i], -slope, 1e-8 * f.cwiseAbs().maxCoeff()) << i;
  }
}

// Several lines for the same dihedral are added, and they take precedence over those with X. Pairs of atoms three
// bonds apart have their own coefficients.
TEST(MoleculeFiles, ParametersAreFoundInTheirOrder) {
  CharmmParameters parameters;
  parameters.read("a.prm", Acetamide().prm);
  EXPECT_EQ(parameters.dihedral({"O", "CC", "NH2", "H"}).size(), 2u);
  EXPECT_EQ(parameters.dihedral({"H", "NH2", "CC", "O"}).size(), 2u);
  EXPECT_EQ(parameters.dihedral({"CT3", "CC", "NH2", "H"}).size(), 1u);
  EXPECT_TRUE(parameters.dihedral({"CT3", "CC", "CC", "H"}).empty());
  EXPECT_NEAR(parameters.mixed("CT3", "O", false).epsilon, std::sqrt(0.08 * 0.12), 1e-15);
  EXPECT_NEAR(parameters.mixed("CT3", "O", true).sigma, (1.9 + 1.4) * std::pow(2, -1.0 / 6), 1e-14);
  EXPECT_NEAR(parameters.mixed("H", "CT3", false).epsilon, 0.06, 1e-15);
  EXPECT_NEAR(parameters.angle({"CT3", "CC", "NH2"})->span, 2.45, 1e-15);
}

TEST(MoleculeFiles, BoxesComeFromThePdbFile) {
  Acetamide files;
  files.pdb = "CRYST1   30.000   31.000   32.000  90.00  90.00  90.00 P 1           1\n" + files.pdb;
  const Molecule molecule = files.molecule();
  EXPECT_EQ(molecule.box.length[1], 31);
  EXPECT_EQ(molecule.coulomb, Coulomb::ewald);
  Acetamide::change(files.pdb, "  90.00 P", "  80.00 P");
  EXPECT_EQ(files.said(), "a.pdb:1:1: the box is tilted; trill has rectangular boxes only");
  Acetamide::change(files.pdb, "  80.00 P", "  90.00 P");
  Acetamide::change(files.pdb, "30.000", "20.000");
  EXPECT_EQ(files.said().rfind("a.pdb:1:1: the box is 20 A wide, less than twice the cut-off of 12 A", 0), 0u);
}

TEST(MoleculeFiles, MistakesAreNamedWithFileAndLine) {
  const auto expect = [](std::string Acetamide::*file, const std::string& what, const std::string& by,
                         const std::string& begin, const std::string& words) {
    Acetamide files;
    Acetamide::change(files.*file, what, by);
    const std::string said = files.said();
    EXPECT_EQ(said.rfind(begin, 0), 0u) << said;
    EXPECT_NE(said.find(words), std::string::npos) << said;
  };
  EXPECT_EQ(Acetamide().said(), "accepted");
  expect(&Acetamide::psf, "PSF\n", "psf\n", "a.psf", "a PSF file begins with a line 'PSF'");
  expect(&Acetamide::psf, "CT3 ", "10  ", "a.psf:7:", "the types of atoms are numbers");
  expect(&Acetamide::psf, "CT3 ", "CT9 ", "a.psf:7:", "no line for the type CT9 of atom 1");
  expect(&Acetamide::psf, "6 !NATOM", "9 !NATOM", "a.psf:6:", "there should be 9 atoms, and there are 6");
  expect(&Acetamide::psf, "5 !NBOND", "6 !NBOND", "a.psf:14:", "there should be 6 terms, and there are 5");
  expect(&Acetamide::psf, "       1       2       2       3", "       1       2       2       2",
         "a.psf:15:", "names atom 2 twice");
  expect(&Acetamide::psf, "       1       2       2       3", "       1       2       2      13",
         "a.psf:15:", "there is no atom 13");
  expect(&Acetamide::psf, "       4       6", "       5       4", "a.psf:16:", "joined by a bond twice");
  expect(&Acetamide::prm, "H    NH2   480", "H    NH3   480",
         "a.psf:15:", "no bond of the types NH2 H, which atoms 4, 5 have");
  expect(&Acetamide::prm, "H    NH2  H      23", "H    NH3  H      23", "a.psf:20:", "no angle of the types H NH2 H");
  expect(&Acetamide::prm, "X    CC   NH2  X ", "X    CC   NH3  X ", "a.psf:23:", "no dihedral of the types");
  expect(&Acetamide::prm, "NH2  X    X    H ", "NH3  X    X    H ", "a.psf:27:", "no improper of the types");
  expect(&Acetamide::prm, "650.000     1.2300", "650.000     long", "a.prm:6:", "a parameter must be a number");
  expect(&Acetamide::prm, "1.5000  2   180.00", "1.5000  9   180.00", "a.prm:18:", "multiplicity must be from 0 to 6");
  expect(&Acetamide::pdb, " O   ACM", " OX  ACM", "a.pdb:4:1:", "atom 3 is called OX here and O in a.psf");
  expect(&Acetamide::pdb, "ATOM      6", "TER       6", "a.pdb", "there are 5 atoms here and 6 in a.psf");
  expect(&Acetamide::pdb, "   0.000   1.240", "   0.0x0   1.240", "a.pdb:4:1:", "columns 31 to 38 must hold");
  expect(&Acetamide::pdb, "   0.000   1.240", "   0.000   9.240", "a.psf:15:", "the bond of atoms 2 and 3 is");
}

// Atoms three bonds apart, which have coefficients of their own in CHARMM.
TEST(MoleculeFiles, OverlapsAcrossThreeBondsAreNamed) {
  Acetamide files;
  files.psf = example_text("alanine_dipeptide.psf");
  files.pdb = example_text("alanine_dipeptide.pdb");
  files.prm = example_text("alanine_dipeptide.prm");
  EXPECT_EQ(files.said(), "accepted");
  Acetamide::change(files.pdb, "   2.123  -1.054   0.000", "  -0.371   0.524  -0.500");
  EXPECT_EQ(files.said(), "a.pdb:7:1: atoms 2 and 6 overlap: they are 0.407 A apart");
}

// Three examples: the three angles around a planar atom, the six around a tetrahedral one, and an angle together with
// the distance between its ends (Urey-Bradley).
TEST(MoleculeFiles, AnglesThatDependOnEachOtherAreNotMadeRigid) {
  const auto said = [](std::unique_ptr<Problem> problem) -> std::string {
    RunPlan plan = plan_with("rattle", 1, 0.5);
    plan.options["constraints"] = "bonds+angles";
    try {
      prepare(plan, std::move(problem));
    } catch (const UsageError& e) {
      return e.what();
    }
    return "accepted";
  };
  EXPECT_THAT(said(load_model(acetamide).problem), testing::HasSubstr("the Urey-Bradley term of atoms 1 and 3"));
  const auto star = [](int arms, double angle) {
    std::string text = fmt::format(
        "star\n\n{0} atoms\n1 atom types\n{1} bonds\n1 bond types\n{2} angles\n1 angle "
        "types\n\nMasses\n\n1 12\n\nPair Coeffs # lj/cut\n\n1 0 1\n\nBond Coeffs\n\n1 300 1\n\n"
        "Angle Coeffs\n\n1 50 {3}\n\nAtoms # molecular\n\n1 1 1 0 0 0\n",
        arms + 1, arms, arms * (arms - 1) / 2, angle);
    const double x[4][3] = {{1, 0, 0}, {-0.5, 0.86, 0.1}, {-0.5, -0.86, 0.1}, {0, 0, -1}};
    std::string bonds = "\nBonds\n\n", angles = "\nAngles\n\n";
    int count = 0;
    for (int i = 0; i < arms; ++i) {
      text += fmt::format("{} 1 1 {} {} {}\n", i + 2, x[i][0], x[i][1], x[i][2]);
      bonds += fmt::format("{} 1 1 {}\n", i + 1, i + 2);
      for (int j = 0; j < i; ++j) angles += fmt::format("{} 1 {} 1 {}\n", ++count, i + 2, j + 2);
    }
    return read_model("star.data", text + bonds + angles).problem;
  };
  EXPECT_THAT(said(star(3, 120)), testing::HasSubstr("the 3 angles at atom 1 between its bonds to atoms 2, 3, 4"));
  EXPECT_THAT(said(star(4, 109.4712)),
              testing::HasSubstr("the 6 angles at atom 1 between its bonds to atoms 2, 3, 4, 5"));
  EXPECT_EQ(said(star(3, 107)), "accepted");
}

TEST(MoleculeFiles, APdbFileAloneIsNoModel) {
  EXPECT_THROW(load_model(fs::path(acetamide).replace_extension(".pdb")), UsageError);
}

class Trajectories : public testing::Test {
 protected:
  Trajectories() : folder_(fs::temp_directory_path() / fmt::format("trill-trajectories-{}", ::getpid())) {
    fs::create_directories(folder_);
    RunPlan plan = plan_with("verlet", 6, 0.5);
    plan.output = EveryStep{4};
    plan.model = acetamide.string();
    run_ = std::make_unique<Solution>(prepare(plan).run());
  }
  ~Trajectories() override { fs::remove_all(folder_); }
  std::string written(const std::string& name) const {
    save_solution(*run_, folder_ / name);
    std::ifstream in(folder_ / name, std::ios::binary);
    std::stringstream text;
    text << in.rdbuf();
    return text.str();
  }
  fs::path folder_;
  std::unique_ptr<Solution> run_;
};

TEST_F(Trajectories, XyzHasAtomsPlacesAndSpeeds) {
  std::istringstream in(written("run.xyz"));
  for (Index row = 0; row < run_->rows(); ++row) {
    std::string line;
    std::getline(in, line);
    EXPECT_EQ(line, "6");
    std::getline(in, line);
    EXPECT_NE(line.find(fmt::format("Time={}", run_->t[static_cast<std::size_t>(row)])), std::string::npos) << line;
    EXPECT_NE(line.find("Properties=species:S:1:pos:R:3:vel:R:3"), std::string::npos) << line;
    for (Index atom = 0; atom < 6; ++atom) {
      std::getline(in, line);
      std::istringstream words(line);
      std::string element;
      double x[6];
      words >> element >> x[0] >> x[1] >> x[2] >> x[3] >> x[4] >> x[5];
      EXPECT_EQ(element, (std::vector<std::string>{"X", "C", "O", "N", "H", "H"})[static_cast<std::size_t>(atom)]);
      for (Index k = 0; k < 3; ++k) {
        EXPECT_NEAR(x[k], run_->y()(3 * atom + k, row), 1e-8);
        EXPECT_NEAR(x[3 + k], run_->y()(18 + 3 * atom + k, row), 1e-11);
      }
    }
  }
  EXPECT_EQ(in.peek(), EOF);
}

// Fortran writes each record as its length, its bytes and its length again.
std::vector<std::string> records_of(const std::string& bytes) {
  std::vector<std::string> records;
  for (std::size_t at = 0; at < bytes.size();) {
    std::int32_t size = 0, again = 0;
    std::memcpy(&size, bytes.data() + at, 4);
    records.push_back(bytes.substr(at + 4, static_cast<std::size_t>(size)));
    std::memcpy(&again, bytes.data() + at + 4 + size, 4);
    EXPECT_EQ(size, again);
    at += 8 + static_cast<std::size_t>(size);
  }
  return records;
}

TEST_F(Trajectories, DcdHasTheLayoutOfCharmm) {
  const auto records = records_of(written("run.dcd"));
  ASSERT_EQ(records.size(), 3u + 3u * static_cast<std::size_t>(run_->rows()));
  EXPECT_EQ(records[0].size(), 84u);
  EXPECT_EQ(records[0].substr(0, 4), "CORD");
  const auto control = [&](int k) {
    std::int32_t value = 0;
    std::memcpy(&value, records[0].data() + 4 + 4 * k, 4);
    return value;
  };
  EXPECT_EQ(control(0), run_->rows());
  EXPECT_EQ(control(10), 0);
  EXPECT_EQ(control(19), 24);
  float delta = 0;
  std::memcpy(&delta, records[0].data() + 4 + 36, 4);
  EXPECT_NEAR(delta * 48.88821, 2, 1e-5);
  EXPECT_EQ(records[1].size(), 84u);
  EXPECT_EQ(records[2].size(), 4u);
  for (Index row = 0; row < run_->rows(); ++row)
    for (Index axis = 0; axis < 3; ++axis) {
      const std::string& record = records[static_cast<std::size_t>(3 + 3 * row + axis)];
      ASSERT_EQ(record.size(), 24u);
      for (Index atom = 0; atom < 6; ++atom) {
        float x = 0;
        std::memcpy(&x, record.data() + 4 * atom, 4);
        EXPECT_NEAR(x, run_->y()(3 * atom + axis, row), 1e-6);
      }
    }
}

TEST_F(Trajectories, DcdStatesTheBox) {
  run_->info.settings["box"] = "30 31 32";
  const auto records = records_of(written("run.dcd"));
  ASSERT_EQ(records.size(), 3u + 4u * static_cast<std::size_t>(run_->rows()));
  double cell[6];
  ASSERT_EQ(records[3].size(), sizeof(cell));
  std::memcpy(cell, records[3].data(), sizeof(cell));
  EXPECT_EQ((std::vector<double>(cell, cell + 6)), (std::vector<double>{30, 90, 31, 90, 90, 32}));
}

TEST_F(Trajectories, AreWrittenAndNotReadAndForMoleculesOnly) {
  for (const char* name : {"run.xyz", "run.dcd"}) {
    written(name);
    EXPECT_THROW(SolutionFile(folder_ / name), IoError);
  }
  run_->info.settings.erase("particles");
  EXPECT_THROW(save_solution(*run_, folder_ / "other.xyz"), UsageError);
  EXPECT_FALSE(fs::exists(folder_ / "other.xyz"));
}
}  // namespace
}  // namespace trill::testing_models
