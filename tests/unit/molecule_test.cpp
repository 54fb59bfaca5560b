// SPDX-License-Identifier: BSD-3-Clause
// Molecules from LAMMPS data files: their forces, boxes and gaps, and what is refused.
#include "model/molecule/coulomb_law.hpp"
#include "model/molecule/molecule_problem.hpp"
#include "model/molecule/pair_list.hpp"
#include "problem/validity.hpp"
#include "support/mentions.hpp"
#include "support/text_models.hpp"
#include "trill/base/random.hpp"

#include <cmath>
#include <fstream>
#include <numbers>
#include <sstream>
#include <thread>

#include <fmt/format.h>

namespace trill::testing_models {
namespace {
std::string water_text() {
  std::ifstream in(TRILL_SOURCE_DIR "/examples/molecules/water.data");
  std::stringstream text;
  text << in.rdbuf();
  return text.str();
}

std::string replaced(std::string text, const std::string& what, const std::string& by) {
  const auto at = text.find(what);
  EXPECT_NE(at, std::string::npos) << what;
  return text.replace(at, what.size(), by);
}

// A chain of five atoms with every kind of term, in a box of 20 A.
std::string chain_text(const std::string& dihedrals = "opls\n\n1 1.3 -0.4 2.1 0.7\n") {
  return R"(Chain of five, units = real

5 atoms
2 atom types
4 bonds
2 bond types
3 angles
1 angle types
2 dihedrals
1 dihedral types
1 impropers
1 improper types
0 20 xlo xhi
0 21 ylo yhi
0 22 zlo zhi

Masses

1 12.0
2 16.0

Pair Coeffs # lj/cut/coul/dsf

1 0.2 3.5
2 0.15 3.1

Bond Coeffs # harmonic

1 310 1.53
2 320 1.43

Angle Coeffs # charmm

1 60 109.5 12 2.4

Dihedral Coeffs # )" +
         dihedrals + R"(
Improper Coeffs # harmonic

1 4.5 20

Atoms # full

1 1 1 0.3 19.8 10.1 10.2
2 1 1 -0.2 1.1 10.6 10.0
3 1 2 -0.4 1.6 11.9 10.3
4 1 1 0.1 3.0 12.1 11.0
5 1 2 0.2 3.6 13.2 10.3

Bonds

1 1 1 2
2 2 2 3
3 2 3 4
4 2 4 5

Angles

1 1 1 2 3
2 1 2 3 4
3 1 3 4 5

Dihedrals

1 1 1 2 3 4
2 1 2 3 4 5

Impropers

1 1 1 2 3 4
)";
}

// The largest difference between the force and differences of the energy, relative to the largest force.
double gradient_error(const MechanicalProblem& p, Groups group, const Vec& q, Index stride) {
  Vec f(q.size()), v = Vec::Zero(q.size());
  p.force(group, 0, q, v, f);
  double worst = 0;
  for (Index i = 0; i < q.size(); i += stride) {
    const double step = 1e-4;
    const auto energy = [&](double by) {
      Vec moved = q;
      moved[i] += by;
      return *p.potential(group, 0, moved);
    };
    const double slope = (8 * (energy(step) - energy(-step)) - (energy(2 * step) - energy(-2 * step))) / (12 * step);
    worst = std::max(worst, std::abs(f[i] + slope));
  }
  return worst / f.cwiseAbs().maxCoeff();
}

TEST(Molecule, ForcesAreGradients) {
  for (const char* form : {"opls\n\n1 1.3 -0.4 2.1 0.7\n", "charmm\n\n1 1.2 3 35 0\n", "harmonic\n\n1 0.9 -1 2\n",
                           "multi/harmonic\n\n1 1.1 0.5 -0.7 0.9 0.4\n"})
    for (const char* coulomb : {"cut", "shifted", "dsf", "ewald"}) {
      const TextModel model =
          read_model("m.data", chain_text(form), {{"coulomb", coulomb}, {"lj14", "0.5"}, {"coulomb14", "0.8"}});
      const Vec q = model.problem->initial_state().q();
      for (std::size_t g = 0; g < mechanics(model).groups().size(); ++g)
        EXPECT_LT(gradient_error(mechanics(model), Groups{1} << g, q, 1), 1e-8)
            << form << coulomb << mechanics(model).groups()[g].name;
    }
}

TEST(Molecule, ForcesOfWaterAreGradients) {
  const TextModel model = read_model("water.data", water_text());
  EXPECT_LT(gradient_error(mechanics(model), all_groups, model.problem->initial_state().q(), 97), 1e-8);
}

// Forces are the same to the last bit, whether and whenever the energy was asked for.
TEST(Molecule, AskingForTheEnergyChangesNoForce) {
  const TextModel model = read_model("water.data", water_text());
  const MechanicalProblem& p = mechanics(model);
  const Vec q = p.initial_state().q(), v = Vec::Zero(q.size());
  Vec without(q.size()), with(q.size());
  p.force(all_groups, 0, q, v, without);
  const double energy = *p.potential(all_groups, 0, q);
  p.force(all_groups, 0, q, v, with);
  EXPECT_EQ(without, with);
  EXPECT_EQ(*p.potential(all_groups, 0, q), energy);
}

// The closed forms of the documentation of LAMMPS, for a trans and for a right angle.
TEST(Molecule, TorsionsHaveTheirUsualForms) {
  const auto energy = [](const std::string& form, double phi) {
    std::string text = R"(four

4 atoms
1 atom types
3 bonds
1 bond types
1 dihedrals
1 dihedral types

Masses

1 12

Pair Coeffs # lj/cut

1 0 1

Bond Coeffs # harmonic

1 0 1

Dihedral Coeffs # )" + form +
                       R"(
Atoms # molecular

1 1 1 1 0 0
2 1 1 0 0 0
3 1 1 0 0 1
)" + fmt::format("4 1 1 {:.15f} {:.15f} 1\n", std::cos(phi), std::sin(phi)) +
                       "\nBonds\n\n1 1 1 2\n2 1 2 3\n3 1 3 4\n\nDihedrals\n\n1 1 1 2 3 4\n";
    const TextModel model = read_model("m.data", text);
    const MechanicalProblem& p = mechanics(model);
    return *p.potential(2, 0, p.initial_state().q());
  };
  for (const double phi : {0.3, 1.2, 2.9}) {
    const auto cosine = [&](int n) { return std::cos(n * phi); };
    EXPECT_NEAR(energy("opls\n\n1 1.3 -0.4 2.1 0.7\n", phi),
                0.65 * (1 + cosine(1)) - 0.2 * (1 - cosine(2)) + 1.05 * (1 + cosine(3)) + 0.35 * (1 - cosine(4)), 1e-9);
    EXPECT_NEAR(energy("harmonic\n\n1 0.9 -1 2\n", phi), 0.9 * (1 - cosine(2)), 1e-9);
    const double d = 35 * std::numbers::pi / 180;
    EXPECT_NEAR(energy("charmm\n\n1 1.2 3 35 0\n", phi), 1.2 * (1 + std::cos(3 * phi - d)), 1e-9) << phi;
    const double c = std::cos(phi);
    EXPECT_NEAR(energy("multi/harmonic\n\n1 1.1 0.5 -0.7 0.9 0.4\n", phi),
                1.1 + 0.5 * c - 0.7 * c * c + 0.9 * c * c * c + 0.4 * c * c * c * c, 1e-9);
  }
}

// An all-trans chain of 20 united atoms (TraPPE) with a cutoff of 12 A. LAMMPS gives -1.38372323 kcal/mol.
TEST(Molecule, AlkaneHasTheEnergyOfOtherPrograms) {
  const double a = 114 * std::numbers::pi / 180, dx = 1.54 * std::sin(a / 2), dy = 1.54 * std::cos(a / 2);
  std::string text =
      "alkane\n\n20 atoms\n2 atom types\n19 bonds\n1 bond types\n\nMasses\n\n1 14\n2 15\n\nPair Coeffs # lj/cut\n\n"
      "1 0.09141 3.95\n2 0.19475 3.75\n\nBond Coeffs # harmonic\n\n1 225 1.54\n\nAtoms # molecular\n\n";
  std::string bonds = "\nBonds\n\n";
  for (int i = 0; i < 20; ++i) {
    text += fmt::format("{} 1 {} {:.12f} {:.12f} 0\n", i + 1, i % 19 == 0 ? 2 : 1, i * dx, i % 2 * dy);
    if (i > 0) bonds += fmt::format("{} 1 {} {}\n", i, i, i + 1);
  }
  const TextModel model =
      read_model("m.data", text + bonds, {{"cutoff", "12"}, {"shift", "no"}, {"mixing", "arithmetic"}});
  EXPECT_NEAR(*mechanics(model).potential(2, 0, model.problem->initial_state().q()), -1.38372323, 1e-7);
}

// The Madelung constant of rock salt is 1.7475645946. The ions are 2.5 A apart.
TEST(Molecule, EwaldSumOfRockSalt) {
  const double apart = 2.5;
  std::string text = fmt::format(
      "salt\n\n512 atoms\n1 atom types\n0 {0} xlo xhi\n0 {0} ylo yhi\n0 {0} zlo zhi\n\nMasses\n\n1 "
      "20\n\nPair Coeffs # lj/cut/coul/long\n\n1 0 1\n\nAtoms # charge\n\n",
      8 * apart);
  int id = 0;
  for (int x = 0; x < 8; ++x)
    for (int y = 0; y < 8; ++y)
      for (int z = 0; z < 8; ++z)
        text += fmt::format("{} 1 {} {} {} {}\n", ++id, (x + y + z) % 2 ? -1 : 1, x * apart, y * apart, z * apart);
  const TextModel model = read_model("salt.data", text);
  const double energy = *mechanics(model).potential(all_groups, 0, model.problem->initial_state().q());
  EXPECT_NEAR(-energy / 256 * apart / 332.06371, 1.7475645946, 2e-5);
}

// For a pair that is subtracted, a part of the damped law remains: (erfc(a r) - 1)/r and the shifts (Fennell and
// Gezelter 2006). For a skipped pair nothing remains.
TEST(Molecule, ExcludedPairsAreSubtractedOrSkipped) {
  const auto energy = [](const char* excluded) {
    const TextModel model = read_model("m.data", chain_text(), {{"excluded", excluded}});
    return *mechanics(model).potential(all_groups, 0, model.problem->initial_state().q());
  };
  const double x[5][3] = {{-0.2, 10.1, 10.2}, {1.1, 10.6, 10}, {1.6, 11.9, 10.3}, {3, 12.1, 11}, {3.6, 13.2, 10.3}};
  const double q[5] = {0.3, -0.2, -0.4, 0.1, 0.2}, a = 0.2, rc = 9;
  const double shift = std::erfc(a * rc) / rc,
               slope = -shift / rc - 2 * a / std::sqrt(std::numbers::pi) * std::exp(-a * a * rc * rc) / rc;
  double left = 0;
  for (int i = 0; i < 5; ++i)
    for (int j = i + 1; j < std::min(i + 4, 5); ++j) {
      const double r = std::hypot(x[i][0] - x[j][0], x[i][1] - x[j][1], x[i][2] - x[j][2]);
      left += 332.06371 * q[i] * q[j] * ((std::erfc(a * r) - 1) / r - shift - slope * (r - rc));
    }
  EXPECT_NEAR(energy("subtract") - energy("skip"), left, 1e-9);
}

TEST(Molecule, TablesAreTheLaw) {
  for (const double damping : {0.05, 0.25, 1.5})
    for (const Coulomb kind : {Coulomb::cut, Coulomb::shifted, Coulomb::dsf, Coulomb::ewald}) {
      const CoulombLaw law(kind, 9, damping);
      double worst = 0;
      for (double s = 1e-3; s < 81; s *= 1.00037) {
        const ChargeEnergy exact = law.exact(s);
        worst = std::max({worst, std::abs(law.energy(s, 1 / std::sqrt(s)) - exact.energy) * std::sqrt(s),
                          std::abs(law.slope(s, 1 / s, 1 / std::sqrt(s)) - exact.slope) * s * std::sqrt(s)});
      }
      EXPECT_LT(worst, 2e-13) << static_cast<int>(kind) << ' ' << damping;
    }
}

// The two parts into which 1/r is split are gradients of their energies and add up to the whole, for every law and
// with exclusions.
TEST(Molecule, ChargesAreSplitIntoANearAndASmoothPart) {
  for (const char* smooth : {"c1", "c2"})
    for (const char* coulomb : {"cut", "dsf", "ewald"}) {
      const OptionSet usual{{"coulomb", coulomb}, {"lj14", "0.5"}, {"coulomb14", "0.8"}};
      OptionSet given = usual;
      given["split"] = "3.2";
      given["smooth"] = smooth;
      const TextModel whole = read_model("m.data", chain_text(), usual),
                      parts = read_model("m.data", chain_text(), given);
      const MechanicalProblem &p = mechanics(parts), &w = mechanics(whole);
      const Vec q = p.initial_state().q(), v = Vec::Zero(q.size());
      const std::size_t groups = p.groups().size();
      ASSERT_EQ(groups, w.groups().size() + 1);
      EXPECT_EQ(p.groups()[groups - 2].name, "pair_short");
      EXPECT_EQ(p.groups()[groups - 1].name, "pair_long");
      const Groups near = Groups{1} << (groups - 2), far = Groups{1} << (groups - 1);
      for (const Groups group : {near, far}) EXPECT_LT(gradient_error(p, group, q, 1), 1e-8) << smooth << coulomb;
      const Vec sum = force_of(p, 0, q, v, near) + force_of(p, 0, q, v, far);
      const Vec all = force_of(w, 0, q, v, Groups{1} << (groups - 2));
      EXPECT_LT((sum - all).cwiseAbs().maxCoeff(), 1e-12 * all.cwiseAbs().maxCoeff());
      EXPECT_NEAR(*p.potential(near | far, 0, q), *w.potential(Groups{1} << (groups - 2), 0, q), 1e-9);
      EXPECT_EQ(force_of(p, 0, q, v), force_of(w, 0, q, v));  // both parts together are computed as the whole law
    }
}

// Beyond the distance the smooth part is 1/r. At the distance the second derivative of c1 jumps from -1/r^3 to 2/r^3,
// that of c2 is continuous.
TEST(Molecule, TheSmoothPartOfChargesHasItsDerivatives) {
  for (const bool two : {false, true}) {
    const double reach = 2.5;
    const NearCharge near(reach, two);
    const auto rest = [&](double r) {
      const double s = r * r;
      return 1 / r - near.at(s, 1 / s, 1 / r).energy;
    };
    EXPECT_EQ(rest(2.6), 1 / 2.6);
    EXPECT_NEAR(rest(1e-3), (two ? 1.875 : 1.5) / reach, 1e-6);
    const double d = 1e-4, below = reach - 2 * d;
    EXPECT_NEAR((rest(below + d) - rest(below - d)) / (2 * d), -1 / (reach * reach), 5e-4);
    const double second = (rest(below + d) - 2 * rest(below) + rest(below - d)) / (d * d);
    EXPECT_NEAR(second * reach * reach * reach, two ? 2 : -1, 2e-2);
    const double s = 1.7 * 1.7;
    EXPECT_NEAR(near.at(s, 1 / s, 1 / 1.7).slope,
                (near.at(s + d, 1 / (s + d), 1 / std::sqrt(s + d)).energy -
                 near.at(s - d, 1 / (s - d), 1 / std::sqrt(s - d)).energy) /
                    (2 * d),
                1e-8);
  }
}

TEST(Molecule, WhatCannotBeSplitIsRefused) {
  const auto said = [](const OptionSet& given) -> std::string {
    try {
      read_model("water.data", water_text(), given);
    } catch (const UsageError& e) {
      return e.what();
    }
    return "nothing";
  };
  EXPECT_THAT(said({{"split", "9.5"}}), mentions("split", "9.5", "cut-off of 9"));
  EXPECT_THAT(said({{"split", "5"}, {"forces", "lammps"}}), mentions("split", "lammps"));
}

// Every pair closer than the cutoff is in the list, in any box and after any motion that the skin allows.
TEST(Molecule, PairListHasAllPairs) {
  for (const double side : {0.0, 11.0, 40.0}) {
    Box box;
    if (side > 0)
      for (std::size_t k = 0; k < 3; ++k) {
        box.length[k] = side + 3 * static_cast<double>(k);
        box.inverse[k] = 1 / box.length[k];
        box.origin[k] = -5;
      }
    const int atoms = 400;
    Vec q(3 * atoms);
    for (Index i = 0; i < q.size(); ++i) q[i] = 60 * std::sin(1.7 * static_cast<double>(i * i) + 0.3);
    PairList list(box, atoms, 5, 1);
    ASSERT_TRUE(list.update(q.data()));
    for (int round = 0; round < 3; ++round) {
      int found = 0, all = 0;
      const auto near = [&](int i, int j) {
        double s = 0;
        for (int k = 0; k < 3; ++k) s += std::pow(box.nearest(k, q[3 * i + k] - q[3 * j + k]), 2);
        return s < 25;
      };
      for (int i = 0; i < atoms; ++i) {
        for (int j = i + 1; j < atoms; ++j) all += near(i, j);
        for (int k = list.begin(i); k < list.end(i); ++k) found += near(i, list.partners()[k]);
      }
      EXPECT_EQ(found, all) << side;
      EXPECT_GT(all, 50);
      for (Index i = 0; i < q.size(); ++i) q[i] += 0.28 * std::sin(static_cast<double>(3 * i + round));
      ASSERT_TRUE(list.update(q.data()));
    }
  }
  PairList list({}, 1, 5, 1);  // a list for a single atom
  const double nan[3] = {0, std::nan(""), 0};
  EXPECT_FALSE(list.update(nan));
}

// At constant density the number of distances that are computed per atom does not depend on the number of atoms.
TEST(Molecule, WorkForAPairListGrowsWithTheNumberOfAtoms) {
  const auto looks_of_an_atom = [](int side) {
    Box box;
    for (std::size_t k = 0; k < 3; ++k) {
      box.length[k] = 3.0 * side;
      box.inverse[k] = 1 / box.length[k];
    }
    const int atoms = side * side * side;
    Vec q(3 * atoms);
    for (int i = 0; i < atoms; ++i) q.segment<3>(3 * i) << 3 * (i % side), 3 * (i / side % side), 3 * (i / side / side);
    PairList list(box, atoms, 5, 1);
    EXPECT_TRUE(list.update(q.data()));
    return static_cast<double>(list.looked_at()) / atoms;
  };
  EXPECT_NEAR(looks_of_an_atom(20) / looks_of_an_atom(10), 1, 0.01);
}

// Forces do not change if whole molecules are in other images of the box, or if the pair list is an old one.
TEST(Molecule, ImagesAndOldListsChangeNothing) {
  const TextModel model = read_model("water.data", water_text());
  const MechanicalProblem& p = mechanics(model);
  const Vec q = p.initial_state().q(), v = Vec::Zero(q.size());
  Vec f(q.size()), g(q.size());
  p.force(all_groups, 0, q, v, f);
  const double energy = *p.potential(all_groups, 0, q);
  Vec shifted = q;
  for (Index atom = 0; atom < q.size() / 3; ++atom)
    shifted[3 * atom + (atom / 3) % 3] += 18.643 * static_cast<double>(atom / 3 % 4);
  p.force(all_groups, 0, shifted, v, g);
  EXPECT_LT((f - g).cwiseAbs().maxCoeff(), 1e-9);
  EXPECT_NEAR(*p.potential(all_groups, 0, shifted), energy, 1e-8);
  // Near the start the old list is kept, while a clone makes a new one. Forces are the same to the last bit.
  Vec near = q;
  for (Index i = 0; i < q.size(); ++i) near[i] += 0.2 * std::sin(static_cast<double>(i));
  p.force(all_groups, 0, q, v, f);
  p.force(all_groups, 0, near, v, f);
  const auto fresh = model.problem->clone();
  dynamic_cast<const MechanicalProblem&>(*fresh).force(all_groups, 0, near, v, g);
  EXPECT_EQ(f, g);
}

TEST(Molecule, EnergyErrorOfVerletIsOfSecondOrder) {
  const auto deviation = [](double h) {
    RunPlan plan = plan_with("verlet", 20, h);
    const Solution s = run_of(read_model("m.data", chain_text(), {{"cutoff", "10"}, {"shift", "no"}}).problem, plan);
    const auto energy = s.measured().row(s.quantity("energy"));
    return energy.maxCoeff() - energy.minCoeff();
  };
  EXPECT_NEAR(std::log2(deviation(0.4) / deviation(0.2)), 2, 0.1);
}

TEST(Molecule, BondsAndAnglesBecomeRigid) {
  RunPlan plan = plan_with("rattle", 40, 1);
  plan.options["constraints"] = "bonds";
  const Solution s = run_of(read_model("water.data", water_text(), {{"cutoff", "9"}}).problem, plan);
  EXPECT_LT(s.measured().row(s.quantity("constraint")).maxCoeff(), 1e-8);
  EXPECT_NEAR(s.measured()(s.quantity("mean_bond_1"), s.rows() - 1), 1.012, 1e-8);
}

// A ring of four atoms in a square, at rest.
std::string ring_text(bool angles) {
  std::string text =
      "ring\n\n4 atoms\n1 atom types\n4 bonds\n1 bond types\n4 angles\n1 angle types\n\nMasses\n\n1 14\n\n"
      "Pair Coeffs # lj/cut\n\n1 0.1 3.3\n\nBond Coeffs # harmonic\n\n1 500 1.1\n\nAngle Coeffs # harmonic\n\n"
      "1 50 90\n\nAtoms # molecular\n\n1 1 1 5 5 5\n2 1 1 6.1 5 5\n3 1 1 6.1 6.1 5\n4 1 1 5 6.1 5\n\n"
      "Bonds\n\n1 1 1 2\n2 1 2 3\n3 1 3 4\n4 1 4 1\n\nAngles\n\n1 1 1 2 3\n2 1 2 3 4\n3 1 3 4 1\n4 1 4 1 2\n";
  if (angles) return text;
  text = replaced(text, "4 angles\n1 angle types\n", "");
  text = replaced(text, "Angle Coeffs # harmonic\n\n1 50 90\n\n", "");
  return text.substr(0, text.find("\nAngles"));
}

// Nothing moves and the gaps are closed up to rounding. Heavy atoms must not make the iteration ask for more than
// that.
TEST(Molecule, ARigidRingAtRestStays) {
  RunPlan plan = plan_with("rattle", 20, 1);
  plan.options["constraints"] = "bonds";
  const std::unique_ptr<Problem> ring = read_model("m.data", ring_text(false)).problem;
  const Vec start = ring->initial_state().q();
  const Solution s = run_of(ring->clone(), plan);
  EXPECT_LT((last_of(s).head(12) - start).cwiseAbs().maxCoeff(), 1e-12);
}

TEST(Molecule, RingsAreNotMadeRigidAltogether) {
  RunPlan plan = plan_with("rattle", 20, 1);
  plan.options["constraints"] = "bonds+angles";
  try {
    run_of(read_model("m.data", ring_text(true)).problem, plan);
    ADD_FAILURE() << "not refused";
  } catch (const UsageError& e) {
    EXPECT_THAT(e.what(), mentions("4 atoms", "atom 1", "4 bonds", "4 angles", "6 numbers", "constraints=bonds"));
  }
}

std::string said_of_rigid(const std::string& text, const std::string& constraints, const OptionSet& parameters = {}) {
  RunPlan plan = plan_with("rattle", 20, 1);
  plan.options["constraints"] = constraints;
  try {
    run_of(read_model("m.data", text, parameters).problem, plan);
  } catch (const UsageError& e) {
    return e.what();
  }
  return "accepted";
}

// Both diagonals of a flat square: as many bonds as give the shape of four atoms, and yet one too many.
TEST(Molecule, BondsThatFollowFromOthersAreNamed) {
  std::string square = replaced(ring_text(false), "4 bonds\n1 bond", "6 bonds\n2 bond");
  square = replaced(square, "1 500 1.1\n", "1 500 1.1\n2 500 1.55563491861\n") + "5 2 1 3\n6 2 2 4\n";
  EXPECT_THAT(said_of_rigid(square, "bonds"),
              mentions("bond of atoms 2 and 4 already follows from", "bond of atoms 1 and 3"));
}

TEST(Molecule, GapsThatCannotBeRigidAreNamed) {
  const std::string straight =
      "co2\n\n3 atoms\n2 atom types\n2 bonds\n1 bond types\n1 angles\n1 angle types\n\nMasses\n\n1 12\n2 16\n\n"
      "Pair Coeffs # lj/cut\n\n1 0.05 2.8\n2 0.16 3\n\nBond Coeffs # harmonic\n\n1 900 1.16\n\nAngle Coeffs # "
      "harmonic\n\n1 50 180\n\nAtoms # molecular\n\n1 1 2 0 0 0\n2 1 1 1.16 0 0\n3 1 2 2.32 0 0\n\nBonds\n\n1 1 1 "
      "2\n2 1 2 3\n\nAngles\n\n1 1 1 2 3\n";
  EXPECT_THAT(said_of_rigid(straight, "bonds+angles"),
              mentions("angle of atoms 1, 2 and 3", "180 degrees", "straight"));
  EXPECT_EQ(said_of_rigid(straight, "bonds"), "accepted");
  const std::string morse = replaced(straight, "# harmonic\n\n1 900 1.16", "# morse\n\n1 100 2 1.16");
  EXPECT_THAT(said_of_rigid(morse, "bonds"), mentions("bond of atoms 1 and 2 is a Morse bond"));
}

TEST(Molecule, MethodsWithoutAHeatBathSaySo) {
  const OptionSet warm{{"temperature", "300"}};
  EXPECT_THAT(said_of_rigid(ring_text(false), "bonds", warm),
              mentions("rattle cannot solve", "which is in a heat bath; use langevin_splitting, "));
  RunPlan plan = plan_with("respa", 20, 1);
  try {
    prepare(plan, read_model("m.data", ring_text(false), warm).problem);
    ADD_FAILURE() << "not refused";
  } catch (const UsageError& e) {
    EXPECT_THAT(e.what(), mentions("which is in a heat bath; use langevin_respa"));
  }
}

// Runs store parameters as texts, and words as words. From these the same model is read again.
TEST(Molecule, ParametersReadBack) {
  const TextModel model =
      read_model("m.data", chain_text(), {{"coulomb", "shifted"}, {"mixing", "arithmetic"}, {"skin", "1.5"}});
  OptionSet stored;
  for (const Parameter& p : model.problem->parameters()) stored[p.name] = value_text(p);
  EXPECT_EQ(stored.at("coulomb"), "shifted");
  EXPECT_EQ(stored.at("skin"), "1.5");
  const TextModel again = read_model("m.data", chain_text(), stored);
  const Vec q = model.problem->initial_state().q();
  EXPECT_EQ(*mechanics(model).potential(all_groups, 0, q), *mechanics(again).potential(all_groups, 0, q));
  const TextModel usual = read_model("m.data", chain_text());
  EXPECT_NE(*mechanics(model).potential(all_groups, 0, q), *mechanics(usual).potential(all_groups, 0, q));
}

TEST(Molecule, HeatBathByTemperature) {
  const TextModel model = read_model("m.data", chain_text(), {{"temperature", "300"}, {"friction", "5"}});
  const auto& bath = model.problem->as<LangevinProblem>("test");
  EXPECT_NEAR(bath.kT(), 0.59616201, 1e-8);
  EXPECT_NEAR(bath.gamma(), 0.005, 1e-15);
  EXPECT_EQ(model.info.run.method, "langevin_splitting");
}

// Random numbers are functions of seed, step and component. It does not matter which thread computes them and which
// rows are recorded.
TEST(Molecule, PathsInAHeatBathDoNotDependOnThePartition) {
  constexpr int numbers = 4000, parts = 7;
  const RandomKey key{.seed = 5, .run = 2, .step = 31};
  std::vector<double> in_order, in_parts(numbers);
  for (std::uint32_t i = 0; i < numbers; ++i) in_order.push_back(random_normal(key, i));
  std::vector<std::thread> threads;
  for (std::uint32_t part = 0; part < parts; ++part)
    threads.emplace_back([&, part] {
      for (std::uint32_t i = part; i < numbers; i += parts) in_parts[i] = random_normal(key, i);
    });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(in_order, in_parts);

  const auto end_of = [](const Output& output, std::uint64_t seed) {
    RunPlan plan = plan_with("langevin_splitting", 30, 0.5);
    plan.output = output;
    plan.seed = seed;
    const Solution s = run_of(read_model("m.data", chain_text(), {{"temperature", "300"}}).problem, plan);
    return last_of(s);
  };
  EXPECT_EQ(end_of(EveryStep{}, 1), end_of(Times{{30}}, 1));
  EXPECT_NE(end_of(EveryStep{}, 1), end_of(EveryStep{}, 2));
}

std::string said_of(const std::string& text, const OptionSet& parameters = {}) {
  try {
    read_model("m.data", text, parameters);
  } catch (const UsageError& e) {
    return e.what();
  }
  return "accepted";
}

TEST(Molecule, MistakesInFilesAreNamed) {
  const std::string text = chain_text();
  const auto expect = [&](const std::string& what, const std::string& by, const char* line, const char* words) {
    const std::string said = said_of(replaced(text, what, by));
    EXPECT_NE(said.find(words), std::string::npos) << said;
    EXPECT_EQ(said.rfind(std::string("m.data:") + line, 0), 0u) << said;
  };
  EXPECT_EQ(said_of(text), "accepted");
  expect("3.6 13.2 10.3", "1.2 10.2 12.9", "57:", "the bond of atoms 4 and 5");
  expect("units = real", "units = metal", "1", "units of this file are 'metal'");
  expect("2 16.0\n", "", "47:", "atom type 2 has no line in 'Masses'");
  expect("2 320 1.43\n", "", "54:", "bond type 2 has no line in 'Bond Coeffs'");
  expect("2 0.15 3.1\n", "", "", "atom types 1 and 2 have no Lennard-Jones coefficients");
  expect("3 2 3 4\n", "3 2 3 9\n", "56:", "there is no atom 9");
  EXPECT_EQ(said_of(text, {{"cutoff", "10.5"}})
                .rfind("m.data:15:1: the box is 20 A wide, less than twice the cut-off of 10.5 A", 0),
            0u);
  expect("5 atoms", "6 atoms", "3", "the head says 6 atoms");
  expect("1 1 1 0.3 19.8", "1 1 1 x 19.8", "46:", "the charge must be a number, not 'x'");
  expect("Bonds\n", "Bods\n", "52:", "trill does not know a section 'Bods'");
  expect("# opls", "# quartic", "36:", "trill does not know dihedrals of the form 'quartic'");
  expect("# full", "# dipole", "44:", "trill does not know atoms of the style 'dipole'");
  EXPECT_NE(said_of(text, {{"cutof", "3"}}).find("did you mean 'cutoff'"), std::string::npos);
  EXPECT_NE(said_of(replaced(text, "5 1 2 0.2", "5 1 2 0.3"), {{"coulomb", "ewald"}}).find("these add up to 0.1"),
            std::string::npos);
}

TEST(Molecule, OverlapsUnitsAndEndlessMoleculesAreNamed) {
  std::string text = water_text();
  const auto second = text.find("\n4 2 1 -0.82");
  ASSERT_NE(second, std::string::npos);
  const auto first = text.find("\n1 1 1 -0.82") + 12, line = text.find('\n', first);
  const std::string place = text.substr(first, line - first);
  const std::string overlapping =
      text.substr(0, second) + "\n4 2 1 -0.82" + place + text.substr(text.find('\n', second + 1));
  EXPECT_NE(said_of(overlapping).find("the bond of atoms 4 and 5"), std::string::npos) << said_of(overlapping);
  const std::string gas =
      "gas\n\n2 atoms\n1 atom types\n\nMasses\n\n1 40\n\nPair Coeffs # lj/cut\n\n1 0.2 3.4\n\nAtoms # "
      "atomic\n\n1 1 0 0 0\n2 1 0 1.2 0\n";
  EXPECT_EQ(said_of(gas).rfind("m.data:17:1: atoms 1 and 2 overlap: they are 1.2 A apart", 0), 0u) << said_of(gas);
  const std::string ring =
      "ring\n\n3 atoms\n1 atom types\n3 bonds\n1 bond types\n0 4.5 xlo xhi\n0 4.5 ylo yhi\n0 4.5 zlo "
      "zhi\n\nMasses\n\n1 "
      "12\n\nPair Coeffs # lj/cut\n\n1 0 1\n\nBond Coeffs # harmonic\n\n1 100 1.5\n\nAtoms # molecular\n\n1 1 1 0 0 "
      "0\n2 1 1 1.5 "
      "0 0\n3 1 1 3 0 0\n\nBonds\n\n1 1 1 2\n2 1 2 3\n3 1 3 1\n";
  EXPECT_NE(said_of(ring, {{"cutoff", "2"}}).find("joins a molecule to its own image across the box"),
            std::string::npos)
      << said_of(ring, {{"cutoff", "2"}});
}

TEST(Molecule, ABlowUpNamesTheAtoms) {
  const TextModel model = read_model("m.data", chain_text());
  const Solution s = prepare(plan_with("verlet", 4000, 9), model.problem->clone()).run();
  EXPECT_FALSE(s.outcome.ok());
  EXPECT_NE(s.outcome.message.find("the bond of atoms"), std::string::npos) << s.outcome.message;
  ASSERT_TRUE(s.y().allFinite());
  ASSERT_GT(s.rows(), 1);
  const auto& limits = dynamic_cast<const LimitedValidity&>(*model.problem);
  Notes notes;
  State last = model.problem->initial_state();
  last.y = last_of(s);
  EXPECT_EQ(limits.check_validity(last, notes), "") << "the last row is the last good frame";
  EXPECT_THAT(s.outcome.message, testing::HasSubstr(fmt::format("in step {}:", s.outcome.counters.steps)));

  // Of several torn bonds the one that is stretched most is named.
  last = model.problem->initial_state();
  last.q()[0] += 4;
  last.q()[12] += 16;
  EXPECT_THAT(limits.check_validity(last, notes), testing::HasSubstr("the bond of atoms 4 and 5 is"));
}

TEST(Molecule, RespaTakesLevelsByTheirSteps) {
  RunPlan plan = plan_with("respa", 30, 3);
  plan.options["levels"] = "bonds+angles:8,pair:1";
  RunPlan other = plan;
  other.options["levels"] = "pair,bonds+angles/8";
  expect_equal(run_of(read_model("water.data", water_text()).problem, plan).y(),
               run_of(read_model("water.data", water_text()).problem, other).y(), "levels", 0);
  plan.options["levels"] = "bonds:3,angles:2,pair:1";
  EXPECT_THROW(prepare(plan, read_model("water.data", water_text()).problem), UsageError);
  plan.options["levels"] = "bonds:8,pair:2";
  EXPECT_THROW(prepare(plan, read_model("water.data", water_text()).problem), UsageError);
}

// Half a period of the stretching vibration of these water molecules is 4.5 fs. The frequency is the square root of
// stiffness/reduced mass for two bonds at 113.24 degrees.
TEST(Molecule, RespaSaysWhereItResonates) {
  RunPlan plan = plan_with("respa", 30, 3);
  plan.options["levels"] = "bonds+angles:8,pair:1";
  const std::string text = water_text();
  EXPECT_NE(prepare(plan, read_model("water.data", text).problem).outlook.find("has a period of 9"), std::string::npos);
  plan.h = 4.5;
  try {
    prepare(plan, read_model("water.data", text).problem);
    FAIL() << "4.5 fs was accepted";
  } catch (const UsageError& e) {
    EXPECT_NE(std::string(e.what()).find("h = 4.5 is one of them"), std::string::npos) << e.what();
  }
  plan.options["resonance"] = "warn";
  EXPECT_NO_THROW(prepare(plan, read_model("water.data", text).problem));
}

// The unstable window of the figure pjy97_respa_windows: if a tenth of the stiffness is slow, it extends from 0.4548
// to half of the period.
TEST(Molecule, TextModelsAreRefusedAtResonanceToo) {
  const auto refused = [](double h) {
    RunPlan plan = plan_with("impulse", 10, h);
    plan.options["fast"] = "fast";
    try {
      prepare(plan, read_model("m.toml", R"toml(
coordinates.x = { start = 1 }
[[potential]]
energy = "x^2/2"
group = "fast"
[[potential]]
energy = "0.1*x^2/2"
group = "slow"
)toml")
                        .problem);
    } catch (const UsageError&) {
      return true;
    }
    return false;
  };
  const double period = 2 * std::numbers::pi;
  EXPECT_FALSE(refused(0.4540 * period));
  EXPECT_TRUE(refused(0.4555 * period));
  EXPECT_TRUE(refused(0.4995 * period));
  EXPECT_FALSE(refused(0.5005 * period));
}
}  // namespace
}  // namespace trill::testing_models
