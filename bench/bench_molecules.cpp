// SPDX-License-Identifier: BSD-3-Clause
// Molecules: the pair kernel compared with one that uses library functions and branches, the pair list in growing
// boxes, Newton's method compared with sweeps for constraints, and steps compared with LAMMPS if it is installed.
#include "method/constraint_projection.hpp"
#include "model/molecule/field_forces.hpp"
#include "model/molecule/molecule_model.hpp"
#include "model/molecule/molecule_reader.hpp"
#include "ratio.hpp"
#include "trill/driver/plan.hpp"

#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <numbers>
#include <sstream>

#include <fmt/format.h>

namespace {
using namespace trill;
using namespace trill::bench;
namespace fs = std::filesystem;

const char* const water_file = TRILL_SOURCE_DIR "/examples/molecules/water.data";

std::string text_of(const fs::path& file) {
  std::ifstream in(file);
  std::stringstream text;
  text << in.rdbuf();
  return text.str();
}

// A box of 216 water molecules, repeated along each axis.
Molecule water(int repeated) {
  const DataFile file(water_file, text_of(water_file));
  const Molecule one = MoleculeReader(file, MoleculeSettings{}).read();
  Molecule m = one;
  const int copies = repeated * repeated * repeated, n = one.atoms();
  for (std::size_t k = 0; k < 3; ++k) {
    m.box.length[k] *= repeated;
    m.box.inverse[k] = 1 / m.box.length[k];
  }
  m.start.resize(3 * n * copies);
  m.charge.resize(n * copies);
  m.type.clear();
  m.special.clear();
  for (int copy = 0; copy < copies; ++copy) {
    const std::array<int, 3> at{copy % repeated, copy / repeated % repeated, copy / repeated / repeated};
    for (int i = 0; i < n; ++i) {
      m.type.push_back(one.type[static_cast<std::size_t>(i)]);
      m.charge[copy * n + i] = one.charge[i];
      for (std::size_t k = 0; k < 3; ++k)
        m.start[3 * (copy * n + i) + static_cast<int>(k)] =
            one.start[3 * i + static_cast<int>(k)] + at[k] * one.box.length[k];
    }
    for (SpecialPair s : one.special) {
      s.i += copy * n;
      s.j += copy * n;
      m.special.push_back(s);
    }
  }
  return m;
}

// The same pairs with erfc, exp and a branch at the cutoff.
void plain_kernel(const Molecule& m, const PairList& list, const double* q, double* f) {
  const double rc = m.settings.cutoff, a = m.settings.damping, root = std::sqrt(std::numbers::pi);
  const double shift = std::erfc(a * rc) / (rc * rc) + 2 * a / root * std::exp(-a * a * rc * rc) / rc;
  for (int i = 0; i < m.atoms(); ++i)
    for (int k = list.begin(i); k < list.end(i); ++k) {
      const int j = list.partners()[k];
      double d[3], s = 0;
      for (int c = 0; c < 3; ++c) {
        d[c] = q[3 * i + c] - q[3 * j + c];
        d[c] -=
            m.box.length[static_cast<std::size_t>(c)] * std::round(d[c] * m.box.inverse[static_cast<std::size_t>(c)]);
        s += d[c] * d[c];
      }
      if (s >= rc * rc) continue;
      const double r = std::sqrt(s);
      double pull = 0;
      if (const LennardJones& lj = m.pair(i, j); lj.epsilon > 0) {
        const double six = std::pow(lj.sigma * lj.sigma / s, 3);
        pull = 24 * lj.epsilon * (2 * six * six - six) / s;
      }
      const double charges = real_units::coulomb * m.charge[i] * m.charge[j];
      pull += charges * (std::erfc(a * r) / s + 2 * a / root * std::exp(-a * a * s) / r - shift) / r;
      for (int c = 0; c < 3; ++c) {
        f[3 * i + c] += pull * d[c];
        f[3 * j + c] -= pull * d[c];
      }
    }
}

void measure_kernel() {
  Molecule m = water(1);
  // Pairs of bonded atoms are left out, since the plain kernel does not treat them.
  m.coulomb = Coulomb::dsf;
  m.settings.excluded = "skip";
  PairForces kernel(m);
  Vec ours = Vec::Zero(m.start.size()), plain = ours;
  kernel.add_forces(m.start.data(), ours.data());
  plain_kernel(m, kernel.list(), m.start.data(), plain.data());
  const double off = (ours - plain).cwiseAbs().maxCoeff();
  if (!(off < 1e-10 * plain.cwiseAbs().maxCoeff())) {
    std::fprintf(stderr, "the two kernels do not have the same forces: they differ by %g\n", off);
    std::exit(1);
  }
  const auto plainly = [&] { plain_kernel(m, kernel.list(), m.start.data(), plain.data()); };
  print_ratio("molecules/pairs_over_library_functions",
              median_ratio([&] { kernel.add_forces(m.start.data(), ours.data()); }, plainly), 1.0 / 3);
  print_ratio("molecules/pairs_with_energy_over_library_functions",
              median_ratio([&] { keep(kernel.add_with_energy(m.start.data(), ours.data())); }, plainly), 1.0 / 3);
}

// The time per atom for a pair list, in a box with 3.4 times as many atoms relative to a box of 5184.
void measure_list() {
  const Molecule small = water(2), large = water(3);
  const auto build = [](const Molecule& m) {
    PairList list(m.box, m.atoms(), m.settings.cutoff, m.settings.skin);
    list.update(m.start.data());
    keep(list.end(0));
  };
  const double atoms = static_cast<double>(large.atoms()) / small.atoms();
  print_ratio("molecules/list_of_17496_over_5184_atoms_each_atom",
              median_ratio([&] { build(large); }, [&] { build(small); }, 5) / atoms, 1.2);
}

// An alkane of 20 united atoms with the angles, torsions and pairs of TraPPE and with harmonic bonds, slightly
// deformed.
std::string chain_text(const char* box) {
  const double a = 114 * std::numbers::pi / 180, dx = 1.54 * std::sin(a / 2), dy = 1.54 * std::cos(a / 2);
  std::string text = fmt::format(
      "chain\n\n20 atoms\n2 atom types\n19 bonds\n1 bond types\n18 angles\n1 angle types\n17 dihedrals\n1 dihedral "
      "types\n{}\nMasses\n\n1 14.027\n2 15.035\n\nPair Coeffs # lj/cut\n\n1 0.09141 3.95\n2 0.19475 3.75\n\n"
      "Bond Coeffs # harmonic\n\n1 225 1.54\n\nAngle Coeffs # harmonic\n\n1 62.1 114\n\nDihedral Coeffs # opls\n\n"
      "1 1.411 -0.2708 3.1434 0\n\nAtoms # molecular\n\n",
      box);
  std::string terms, speeds = "\nVelocities\n\n";
  for (int i = 0; i < 20; ++i) {
    const auto noise = [&](int k) { return std::sin(12.9898 * (3 * i + k) + 78.233); };
    text += fmt::format("{} 1 {} {:.6f} {:.6f} {:.6f}\n", i + 1, i % 19 == 0 ? 2 : 1, i * dx, i % 2 * dy, 0.0);
    speeds += fmt::format("{} {:.6e} {:.6e} {:.6e}\n", i + 1, 6e-3 * noise(0), 6e-3 * noise(1), 6e-3 * noise(2));
  }
  const auto list = [&](const char* title, int atoms) {
    terms += fmt::format("\n{}\n\n", title);
    for (int i = 1; i + atoms <= 21; ++i) {
      terms += fmt::format("{} 1", i);
      for (int k = 0; k < atoms; ++k) terms += fmt::format(" {}", i + k);
      terms += '\n';
    }
  };
  list("Bonds", 2);
  list("Angles", 3);
  list("Dihedrals", 4);
  return text + speeds + terms;
}

PreparedRun prepared(const fs::path& model, const OptionSet& parameters, double h, int steps) {
  RunPlan plan;
  plan.model = model.string();
  plan.parameters = parameters;
  plan.method = "verlet";
  plan.h = h;
  plan.to = steps * h;
  plan.output = Times{{}};
  return prepare(plan);
}

// The processor time of a step of LAMMPS, from its own clock and its share of the processor, or 0 if it is not
// installed.
double lammps_step(const fs::path& folder, const std::string& script, int steps) {
  std::ofstream(folder / "in.lammps") << script << fmt::format("\nfix 1 all nve\nthermo 1000000\nrun {}\n", steps);
  const std::string command =
      fmt::format("cd {} && lmp -in in.lammps -log none -nocite >out.txt 2>/dev/null", folder.string());
  if (std::system(command.c_str()) != 0) return 0;
  const std::string said = text_of(folder / "out.txt");
  const auto loop = said.find("Loop time of "), share = said.find("% CPU use");
  if (loop == std::string::npos || share == std::string::npos) return 0;
  const double seconds = std::atof(said.c_str() + loop + 13),
               percent = std::atof(said.c_str() + said.rfind('\n', share) + 1);
  return seconds * percent / 100 / steps;
}

void beside_lammps(const char* name, const fs::path& folder, const fs::path& model, const OptionSet& parameters,
                   const std::string& script, double h, int steps) {
  PreparedRun run = prepared(model, parameters, h, steps);
  std::vector<double> ratios;
  for (int turn = 0; turn < 5; ++turn) {
    const double ours = processor_seconds([&] { keep(run.run().rows()); }) / steps;
    const double theirs = lammps_step(folder, script, steps);
    if (theirs == 0) {
      std::printf("LAMMPS is not installed, so that %s is not measured\n", name);
      return;
    }
    ratios.push_back(ours / theirs);
    std::printf("%s: %.3g us a step, LAMMPS %.3g us\n", name, 1e6 * ours, 1e6 * theirs);
  }
  print_ratio(name, median(std::move(ratios)), 1);
}

// Steps of 2 fs that close the constraints, from points along the motion of a chain with rigid bonds and angles: the
// time of Newton's method relative to that of sweeps, both to 1e-10 of the lengths.
void measure_constraints() {
  constexpr double h = 2;
  const fs::path file = fs::temp_directory_path() / fmt::format("trill-bench-chain-{}.data", std::rand());
  std::ofstream(file) << chain_text("");
  RunPlan plan;
  plan.model = file.string();
  plan.parameters = {{"cutoff", "12"}, {"mixing", "arithmetic"}};
  plan.method = "rattle";
  plan.options = {{"constraints", "bonds+angles"}};
  plan.h = h;
  plan.to = 1000;
  plan.output = EveryStep{50};
  PreparedRun run = prepare(plan);
  const Solution path = run.run();
  fs::remove(file);
  const auto& p = run.reformulation->inner().as<MechanicalProblem>("the bench");
  const Index n = p.layout().nq, m = p.constraints()->count();
  Acceleration accelerate(p);
  accelerate.start(path.y().col(0).head(n));
  const auto seconds_with = [&](const PositionSolver& solver) {
    ConstraintProjection onto(p, accelerate, solver);
    Vec a(n), q(n), s(m), weights(m);
    double sum = 0;
    for (Index k = 1; k < path.rows(); ++k) {
      const Vec q0 = path.y().col(k).head(n), v0 = path.y().col(k).segment(n, n);
      accelerate(0, q0, v0, a);
      const Vec free = q0 + h * v0 + 0.5 * h * h * a;
      onto.take_directions(0, q0);
      onto.weigh(1e10, q0, weights);
      s.setZero();
      sum += processor_seconds([&] { keep(onto.project_position(0, free, weights, s, q).iterations); });
    }
    return sum;
  };
  std::vector<double> ratios;
  for (int turn = 0; turn < 5; ++turn)
    ratios.push_back(seconds_with({}) / seconds_with({.sweeps = true, .tolerance = 1e-10}));
  print_ratio("molecules/newton_over_gauss_seidel", median(std::move(ratios)), 1.0 / 50);
}

void measure_steps() {
  const fs::path folder = fs::temp_directory_path() / fmt::format("trill-bench-molecules-{}", std::rand());
  fs::create_directories(folder);
  std::ofstream(folder / "chain.data") << chain_text("");
  std::ofstream(folder / "boxed.data") << chain_text("-50 50 xlo xhi\n-50 50 ylo yhi\n-50 50 zlo zhi\n");
  beside_lammps("molecules/step_of_chain_over_lammps", folder, folder / "chain.data",
                {{"cutoff", "12"}, {"mixing", "arithmetic"}},
                "units real\nboundary s s s\natom_style molecular\npair_style lj/cut 12\npair_modify shift yes mix "
                "arithmetic\nbond_style harmonic\nangle_style harmonic\ndihedral_style opls\nread_data boxed.data\n"
                "neighbor 2 nsq\nneigh_modify delay 0 every 1 check yes\ntimestep 1",
                1, 100'000);
  beside_lammps("molecules/step_of_216_waters_over_lammps", folder, water_file, {},
                fmt::format("units real\natom_style full\npair_style lj/cut/coul/dsf 0.2 9\npair_modify shift yes\n"
                            "bond_style harmonic\nangle_style harmonic\nread_data {}\nneighbor 2 bin\n"
                            "neigh_modify delay 0 every 1 check yes\ntimestep 0.5",
                            water_file),
                0.5, 400);
  fs::remove_all(folder);
}
}  // namespace

int main() {
  measure_kernel();
  measure_list();
  measure_constraints();
  measure_steps();
  return 0;
}
