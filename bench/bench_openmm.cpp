// SPDX-License-Identifier: BSD-3-Clause
// A step of trill on the forces of OpenMM over a step of OpenMM's own integrator, of the same system. OpenMM computes
// in threads of its own, so that the time of the whole process counts.
#include "ratio.hpp"
#include "trill/driver/plan.hpp"

#include <cstdio>

#if __has_include(<OpenMM.h>)
#include "model/molecule/molecule_reader.hpp"
#include "model/molecule/openmm/openmm_forces.cpp"

#include <fstream>
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

void measure(const char* name, const char* coulomb, int steps) {
  constexpr double h = 0.5;
  std::stringstream text;
  text << std::ifstream(water_file).rdbuf();
  const DataFile file(water_file, text.str());
  const OptionSet parameters{{"coulomb", coulomb}};
  const Molecule molecule = MoleculeReader(file, read_molecule_settings(parameters, "water")).read();
  OwnIntegrator own(molecule, h);
  RunPlan plan;
  plan.model = water_file;
  plan.parameters = {{"coulomb", coulomb}, {"forces", "openmm"}};
  plan.method = "verlet";
  plan.h = h;
  plan.to = steps * h;
  plan.output = Times{{}};
  PreparedRun run = prepare(plan);
  std::vector<double> ratios;
  for (int turn = 0; turn < 5; ++turn) {
    const double ours =
        bench::processor_seconds([&] { bench::keep(static_cast<double>(run.run().rows())); }, CLOCK_PROCESS_CPUTIME_ID);
    const double theirs = bench::processor_seconds([&] { own.run(steps); }, CLOCK_PROCESS_CPUTIME_ID);
    std::printf("%s: %.3g ms a step, OpenMM's own integrator %.3g ms\n", name, 1e3 * ours / steps,
                1e3 * theirs / steps);
    ratios.push_back(ours / theirs);
  }
  bench::print_ratio(name, bench::median(ratios), 1.1);
}
}  // namespace

int main() {
  measure("openmm/verlet_with_ewald_over_own_integrator", "ewald", 200);
  measure("openmm/verlet_with_dsf_over_own_integrator", "dsf", 200);
  return 0;
}
#else
int main() {
  std::printf("OpenMM is not installed\n");
  return 0;
}
#endif
