// SPDX-License-Identifier: BSD-3-Clause
// The time of a step of trill with forces from OpenMM, relative to a step of OpenMM's own integrator for the same
// system. OpenMM computes in its own threads, so the time of the whole process counts.
#include "ratio.hpp"
#include "trill/driver/plan.hpp"

#include <cstdio>

#if __has_include(<OpenMM.h>)
#include "model/molecule/molecule_reader.hpp"
#include "model/molecule/openmm/openmm_forces.cpp"

#include <fstream>
#include <numeric>
#include <sstream>

namespace {
using namespace trill;

const char* const water_file = TRILL_SOURCE_DIR "/examples/molecules/water.data";

class OwnIntegrator {
 public:
  OwnIntegrator(const Molecule& m, double h) : integrator_(1e-3 * h) {
    for (int i = 0; i < m.atoms(); ++i) system_.addParticle(m.mass[3 * i] / real_units::mass);
    system_.setDefaultPeriodicBoxVectors({m.box.length[0] * length_unit, 0, 0}, {0, m.box.length[1] * length_unit, 0},
                                         {0, 0, m.box.length[2] * length_unit});
    add_stretches(system_, m.bonds, ForceProvider::bonds);
    add_bends(system_, m);
    if (m.coulomb == Coulomb::ewald)
      add_ewald(system_, m);
    else
      add_formula(system_, m);
    OpenMM::Platform::loadPluginsFromDirectory(OpenMM::Platform::getDefaultPluginsDirectory());
    context_ = std::make_unique<OpenMM::Context>(
        system_, integrator_, OpenMM::Platform::getPlatformByName("CPU"),
        std::map<std::string, std::string>{{"Threads", "1"}, {"DeterministicForces", "true"}});
    std::vector<OpenMM::Vec3> places, speeds;
    for (int i = 0; i < m.atoms(); ++i) {
      places.emplace_back(0.1 * m.start[3 * i], 0.1 * m.start[3 * i + 1], 0.1 * m.start[3 * i + 2]);
      speeds.emplace_back(100 * m.velocity[3 * i], 100 * m.velocity[3 * i + 1], 100 * m.velocity[3 * i + 2]);
    }
    context_->setPositions(places);
    context_->setVelocities(speeds);
  }
  void run(int steps) { integrator_.step(steps); }

 private:
  OpenMM::System system_;
  OpenMM::VerletIntegrator integrator_;
  std::unique_ptr<OpenMM::Context> context_;
};

// Contexts of OpenMM with the same forces differ by up to a quarter in time, depending on the addresses of their
// buffers. So in each turn both sides get new contexts with other addresses.
void measure(const char* name, const char* coulomb) {
  constexpr double h = 0.5;
  constexpr int steps = 200, turns = 8;
  std::stringstream text;
  text << std::ifstream(water_file).rdbuf();
  const DataFile file(water_file, text.str());
  const OptionSet parameters{{"coulomb", coulomb}};
  const Molecule molecule = MoleculeReader(file, read_molecule_settings(parameters, "water")).read();
  RunPlan plan;
  plan.model = water_file;
  plan.parameters = {{"coulomb", coulomb}, {"forces", "openmm"}};
  plan.method = "verlet";
  plan.h = h;
  plan.to = steps * h;
  plan.output = Times{{}};
  std::vector<double> ours, theirs;
  std::vector<std::vector<char>> pads;
  for (int turn = 0; turn < turns; ++turn) {
    pads.emplace_back(static_cast<std::size_t>(1 + 1237 * turn));
    const auto run_ours = [&] {
      PreparedRun run = prepare(plan);
      ours.push_back(bench::processor_seconds([&] { bench::keep(static_cast<double>(run.run().rows())); },
                                              CLOCK_PROCESS_CPUTIME_ID));
    };
    const auto run_theirs = [&] {
      OwnIntegrator own(molecule, h);
      theirs.push_back(bench::processor_seconds([&] { own.run(steps); }, CLOCK_PROCESS_CPUTIME_ID));
    };
    if (turn % 2 == 0) run_ours();
    run_theirs();
    if (turn % 2 == 1) run_ours();
    std::printf("%s: %.3g ms a step, OpenMM's own integrator %.3g ms\n", name, 1e3 * ours.back() / steps,
                1e3 * theirs.back() / steps);
  }
  const auto sum = [](const std::vector<double>& all) { return std::accumulate(all.begin(), all.end(), 0.0); };
  bench::print_ratio(name, sum(ours) / sum(theirs), 1.1);
}
}  // namespace

int main() {
  measure("openmm/verlet_with_ewald_over_own_integrator", "ewald");
  measure("openmm/verlet_with_dsf_over_own_integrator", "dsf");
  return 0;
}
#else
int main() {
  std::printf("OpenMM is not installed\n");
  return 0;
}
#endif
