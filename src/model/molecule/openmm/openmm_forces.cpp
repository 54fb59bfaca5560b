// SPDX-License-Identifier: BSD-3-Clause
// The forces of OpenMM, as a module that trill loads when it is asked for: it is built where OpenMM is installed, and
// nothing else of trill needs OpenMM.
#include "model/molecule/force_provider.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <map>
#include <numbers>
#include <stdexcept>

#include <OpenMM.h>

namespace trill {
namespace {
// OpenMM has nm, kJ/mol and ps.
constexpr double length_unit = 0.1, energy_unit = 4.184, force_unit = energy_unit / length_unit,
                 stiffness_unit = force_unit / length_unit;
constexpr int most_for_reference = 50;  // smaller systems are faster on the plain platform, which has double precision

std::size_t nth(int i) { return static_cast<std::size_t>(i); }

void add_stretches(OpenMM::System& system, const std::vector<BondTerm>& bonds, int group) {
  auto* harmonic = new OpenMM::HarmonicBondForce();
  auto* morse = new OpenMM::CustomBondForce("depth*(1-exp(-alpha*(r-rest)))^2");
  for (const char* name : {"depth", "alpha", "rest"}) morse->addPerBondParameter(name);
  for (const BondTerm& b : bonds)
    if (b.form == BondTerm::Form::harmonic)
      harmonic->addBond(b.i, b.j, b.length * length_unit, b.stiffness * stiffness_unit);
    else
      morse->addBond(b.i, b.j, {b.stiffness * energy_unit, b.alpha / length_unit, b.length * length_unit});
  for (OpenMM::Force* force : {static_cast<OpenMM::Force*>(harmonic), static_cast<OpenMM::Force*>(morse)})
    force->setForceGroup(group);
  system.addForce(harmonic);
  if (morse->getNumBonds() > 0)
    system.addForce(morse);
  else
    delete morse;
}

void add_bends(OpenMM::System& system, const Molecule& m) {
  auto* force = new OpenMM::HarmonicAngleForce();
  force->setForceGroup(ForceProvider::angles);
  for (const AngleTerm& a : m.angles) force->addAngle(a.i, a.j, a.k, a.angle, a.stiffness * energy_unit);
  system.addForce(force);
  if (!m.spans.empty()) add_stretches(system, m.spans, ForceProvider::angles);
}

// Each wave is a term K (1 + cos(n phi - phase)); returns what their constants lack.
double add_twists(OpenMM::System& system, const std::vector<TorsionTerm>& torsions, int group) {
  double constant = 0;
  auto* waves = new OpenMM::PeriodicTorsionForce();
  auto* harmonic = new OpenMM::CustomTorsionForce("0.5*stiffness*(abs(theta)-rest)^2");
  for (const char* name : {"stiffness", "rest"}) harmonic->addPerTorsionParameter(name);
  waves->setForceGroup(group);
  harmonic->setForceGroup(group);
  for (const TorsionTerm& t : torsions) {
    constant += t.constant;
    if (t.harmonic) harmonic->addTorsion(t.i, t.j, t.k, t.l, {t.stiffness * energy_unit, t.angle});
    for (int n = 1; n <= TorsionTerm::most_waves; ++n) {
      const double a = t.cosine[nth(n - 1)], b = t.sine[nth(n - 1)], size = std::hypot(a, b);
      if (size == 0) continue;
      waves->addTorsion(t.i, t.j, t.k, t.l, n, std::atan2(b, a), size * energy_unit);
      constant -= size;
    }
  }
  system.addForce(waves);
  if (harmonic->getNumTorsions() > 0)
    system.addForce(harmonic);
  else
    delete harmonic;
  return constant;
}

// OpenMM mixes by itself: the geometric mean of epsilon and the arithmetic one of sigma.
bool mixes_as_openmm(const Molecule& m) {
  const auto of = [&](int i, int j) { return m.pairs[nth(i * m.types + j)]; };
  for (int i = 0; i < m.types; ++i)
    for (int j = 0; j < m.types; ++j) {
      const LennardJones &a = of(i, i), &b = of(j, j), &both = of(i, j);
      const double epsilon = std::sqrt(a.epsilon * b.epsilon), sigma = 0.5 * (a.sigma + b.sigma);
      if (std::abs(both.epsilon - epsilon) > 1e-12 * epsilon) return false;
      if (epsilon > 0 && std::abs(both.sigma - sigma) > 1e-12 * sigma) return false;
    }
  return true;
}

void add_ewald(OpenMM::System& system, const Molecule& m) {
  if (!mixes_as_openmm(m))
    throw std::runtime_error(
        "with an Ewald sum OpenMM takes the arithmetic mean of two sigmas and the geometric one of two epsilons, and "
        "this molecule has others; try --param mixing=arithmetic");
  auto* force = new OpenMM::NonbondedForce();
  force->setForceGroup(ForceProvider::pair);
  force->setNonbondedMethod(OpenMM::NonbondedForce::PME);
  force->setCutoffDistance(m.settings.cutoff * length_unit);
  force->setEwaldErrorTolerance(1e-5);
  force->setUseDispersionCorrection(false);
  const auto lj = [&](int i, int j) { return m.pairs[nth(m.type[nth(i)] * m.types + m.type[nth(j)])]; };
  const double unit = std::sqrt(real_units::coulomb / 332.0637128);  // OpenMM has the constant 138.935456 kJ nm/mol
  for (int i = 0; i < m.atoms(); ++i)
    force->addParticle(unit * m.charge[i], std::max(lj(i, i).sigma, 1e-3) * length_unit,
                       lj(i, i).epsilon * energy_unit);
  for (const SpecialPair& s : m.special)
    force->addException(s.i, s.j, unit * unit * s.coulomb * m.charge[s.i] * m.charge[s.j],
                        std::max(m.pair(s).sigma, 1e-3) * length_unit, s.lj * m.pair(s).epsilon * energy_unit);
  system.addForce(force);
}

struct Law {
  std::string coulomb = "0";  // of unit charges, without the constant
  double damping = 0, energy_shift = 0, slope_shift = 0, self = 0;
};

Law law_of(const Molecule& m) {
  Law law;
  const double rc = m.settings.cutoff * length_unit;
  if (m.coulomb == Coulomb::none) return law;
  law.damping = m.coulomb == Coulomb::dsf ? m.settings.damping / length_unit : 0;
  if (m.coulomb != Coulomb::cut) {
    const double x = law.damping * rc;
    law.energy_shift = std::erfc(x) / rc;
    law.slope_shift = -law.energy_shift / rc - 2 * law.damping * std::numbers::inv_sqrtpi * std::exp(-x * x) / rc;
  }
  if (m.coulomb == Coulomb::dsf) law.self = -0.5 * law.energy_shift - law.damping * std::numbers::inv_sqrtpi;
  law.coulomb = law.damping > 0 ? "erfc(damping*r)/r" : "1/r";
  if (m.coulomb != Coulomb::cut) law.coulomb = "(" + law.coulomb + "-energy_shift-slope_shift*(r-cutoff))";
  return law;
}

// Laws that OpenMM does not have are written as formulas. Returns the energy of charges with themselves, in kcal/mol.
double add_formula(OpenMM::System& system, const Molecule& m) {
  const Law law = law_of(m);
  const double constant = real_units::coulomb * energy_unit * length_unit;
  const bool takes_off = m.takes_bare_charges_off();
  const auto set = [&](auto& force) {
    force.addGlobalParameter("damping", law.damping);
    force.addGlobalParameter("energy_shift", law.energy_shift);
    force.addGlobalParameter("slope_shift", law.slope_shift);
    force.addGlobalParameter("cutoff", m.settings.cutoff * length_unit);
    force.setForceGroup(ForceProvider::pair);
  };
  struct Coefficients {
    double twelve, six, offset;
  };
  const auto coefficients = [&](const LennardJones& p) {
    const double sigma6 = std::pow(p.sigma * length_unit, 6), six = 4 * p.epsilon * energy_unit * sigma6;
    const double rc6 = std::pow(m.settings.cutoff * length_unit, -6);
    return Coefficients{six * sigma6, six, m.settings.shift == "yes" ? rc6 * (six * sigma6 * rc6 - six) : 0};
  };
  std::vector<double> twelve, six, offset;
  for (const LennardJones& p : m.pairs) {
    const Coefficients c = coefficients(p);
    twelve.push_back(c.twelve);
    six.push_back(c.six);
    offset.push_back(c.offset);
  }
  auto* force = new OpenMM::CustomNonbondedForce(
      "a(kind1,kind2)/r^12-b(kind1,kind2)/r^6-c(kind1,kind2)+charge1*charge2*" + law.coulomb);
  force->addTabulatedFunction("a", new OpenMM::Discrete2DFunction(m.types, m.types, twelve));
  force->addTabulatedFunction("b", new OpenMM::Discrete2DFunction(m.types, m.types, six));
  force->addTabulatedFunction("c", new OpenMM::Discrete2DFunction(m.types, m.types, offset));
  force->addPerParticleParameter("kind");
  force->addPerParticleParameter("charge");
  set(*force);
  force->setNonbondedMethod(m.box.periodic() ? OpenMM::CustomNonbondedForce::CutoffPeriodic
                                             : OpenMM::CustomNonbondedForce::CutoffNonPeriodic);
  force->setCutoffDistance(m.settings.cutoff * length_unit);
  double squares = 0;
  for (int i = 0; i < m.atoms(); ++i) {
    force->addParticle({double(m.type[nth(i)]), std::sqrt(constant) * m.charge[i]});
    squares += m.charge[i] * m.charge[i];
  }
  // What is left between atoms that bonds join.
  auto* special = new OpenMM::CustomBondForce("step(cutoff-r)*(part*(twelve/r^12-six/r^6-offset)+whole*" + law.coulomb +
                                              "-taken/r)");
  for (const char* name : {"part", "twelve", "six", "offset", "whole", "taken"}) special->addPerBondParameter(name);
  set(*special);
  for (const SpecialPair& s : m.special) {
    force->addExclusion(s.i, s.j);
    const double charges = constant * m.charge[s.i] * m.charge[s.j];
    const Coefficients c = coefficients(m.pair(s));
    special->addBond(s.i, s.j,
                     {s.lj, c.twelve, c.six, c.offset, charges * (takes_off ? 1 : s.coulomb),
                      charges * (takes_off ? 1 - s.coulomb : 0)});
  }
  system.addForce(force);
  system.addForce(special);
  return squares * law.self * real_units::coulomb * length_unit;
}

class OpenMmForces final : public ForceProvider {
 public:
  explicit OpenMmForces(const Molecule& m) : atoms_(m.atoms()), positions_(nth(m.atoms())), integrator_(0.001) {
    for (int i = 0; i < atoms_; ++i) system_.addParticle(m.mass[3 * i] / real_units::mass);
    if (m.box.periodic())
      system_.setDefaultPeriodicBoxVectors({m.box.length[0] * length_unit, 0, 0}, {0, m.box.length[1] * length_unit, 0},
                                           {0, 0, m.box.length[2] * length_unit});
    add_stretches(system_, m.bonds, bonds);
    add_bends(system_, m);
    constant_[dihedrals] = add_twists(system_, m.dihedrals, dihedrals);
    constant_[impropers] = add_twists(system_, m.impropers, impropers);
    if (m.coulomb == Coulomb::ewald)
      add_ewald(system_, m);
    else
      constant_[pair] = add_formula(system_, m);
    open();
  }
  void forces(Kinds of, const double* q, double* f) override {
    if (!place(q)) {
      std::fill_n(f, 3 * nth(atoms_), std::nan(""));
      return;
    }
    const OpenMM::State state = context_->getState(OpenMM::State::Forces, false, static_cast<int>(of));
    const std::vector<OpenMM::Vec3>& forces = state.getForces();
    for (int i = 0; i < atoms_; ++i)
      for (int k = 0; k < 3; ++k) f[3 * i + k] = forces[nth(i)][k] * (1 / force_unit);
  }
  double energy(Kind of, const double* q) override {
    if (!place(q)) return std::nan("");
    const OpenMM::State state = context_->getState(OpenMM::State::Energy, false, 1 << of);
    return state.getPotentialEnergy() / energy_unit + constant_[of];
  }

 private:
  // One thread, so that the forces are the same in every run, unless the user says otherwise in OpenMM's way.
  void open() {
    if (OpenMM::Platform::getNumPlatforms() < 2)
      OpenMM::Platform::loadPluginsFromDirectory(OpenMM::Platform::getDefaultPluginsDirectory());
    std::map<std::string, std::string> properties;
    OpenMM::Platform* platform = &OpenMM::Platform::getPlatformByName("Reference");
    if (const char* wanted = std::getenv("OPENMM_DEFAULT_PLATFORM"))
      platform = &OpenMM::Platform::getPlatformByName(wanted);
    else
      for (int k = 0; k < OpenMM::Platform::getNumPlatforms(); ++k)
        if (OpenMM::Platform::getPlatform(k).getName() == "CPU" && atoms_ > most_for_reference)
          platform = &OpenMM::Platform::getPlatform(k);
    if (platform->getName() == "CPU") {
      properties["DeterministicForces"] = "true";
      if (!std::getenv("OPENMM_CPU_THREADS")) properties["Threads"] = "1";
    }
    context_ = std::make_unique<OpenMM::Context>(system_, integrator_, *platform, properties);
  }
  // False where a position is not finite, which OpenMM does not survive.
  bool place(const double* q) {
    if (!std::all_of(q, q + 3 * nth(atoms_), [](double x) { return std::isfinite(x); })) return false;
    for (int i = 0; i < atoms_; ++i)
      positions_[nth(i)] = {q[3 * i] * length_unit, q[3 * i + 1] * length_unit, q[3 * i + 2] * length_unit};
    context_->setPositions(positions_);
    return true;
  }

  int atoms_;
  std::vector<OpenMM::Vec3> positions_;
  std::array<double, kinds> constant_{};
  OpenMM::System system_;
  OpenMM::VerletIntegrator integrator_;  // a context needs one; it is not used
  std::unique_ptr<OpenMM::Context> context_;
};
}  // namespace
}  // namespace trill

extern "C" trill::ForceProvider* trill_openmm_forces(const trill::Molecule& molecule) {
  return new trill::OpenMmForces(molecule);
}
