// SPDX-License-Identifier: BSD-3-Clause
#include "model/molecule/pair_forces.hpp"

#include <algorithm>
#include <cmath>

namespace trill {
namespace {
std::size_t nth(int i) { return static_cast<std::size_t>(i); }

// The far part of an Ewald sum and the near part have the same error where the near part ends.
constexpr double ewald_angle = 3.3;  // erfc of it is 3e-6

double damping_of(const Molecule& m) {
  return m.coulomb == Coulomb::ewald ? ewald_angle / m.settings.cutoff : m.settings.damping;
}

double energy_of(double twelve, double six, double s) {
  const double cube = 1 / (s * s * s);
  return cube * (twelve * cube - six);
}

std::vector<std::vector<int>> partners_of(const Molecule& m) {
  std::vector<std::vector<int>> partners(nth(m.atoms()));
  for (const SpecialPair& pair : m.special) partners[nth(pair.i)].push_back(pair.j);
  return partners;
}
}  // namespace

PairForces::PairForces(const Molecule& molecule)
    : molecule_(molecule),
      cutoff_square_(molecule.settings.cutoff * molecule.settings.cutoff),
      charged_(molecule.coulomb != Coulomb::none),
      law_(molecule.coulomb, molecule.settings.cutoff, damping_of(molecule)),
      list_(molecule.box, molecule.atoms(), molecule.settings.cutoff, molecule.settings.skin) {
  list_.leave_out(partners_of(molecule));
  for (const LennardJones& pair : molecule.pairs) {
    const double six = 4 * pair.epsilon * std::pow(pair.sigma, 6), twelve = six * std::pow(pair.sigma, 6);
    const bool shifted = molecule.settings.shift == "yes";
    coefficients_.push_back({twelve, six, shifted ? energy_of(twelve, six, cutoff_square_) : 0});
  }
  double squares = 0;
  for (const double charge : molecule.charge) {
    charge_.push_back(std::sqrt(real_units::coulomb) * charge);
    squares += charge_.back() * charge_.back();
  }
  self_energy_ = squares * law_.self_energy();
  if (molecule.coulomb == Coulomb::ewald) far_.emplace(molecule.box, charge_, damping_of(molecule), ewald_angle);
}

double PairForces::add(const double* q, double* f) {
  if (!list_.update(q)) {
    std::fill_n(f, 3 * nth(molecule_.atoms()), std::nan(""));
    return std::nan("");
  }
  double energy = self_energy_;
  for (int i = 0; i < molecule_.atoms(); ++i) energy += charged_ ? add_row<true>(i, q, f) : add_row<false>(i, q, f);
  energy += add_special(q, f);
  if (far_) energy += far_->add(q, f);
  return energy;
}

// The partners of atom i inside the cut-off. Each is written and then kept or not, which is faster than a branch that
// cannot be foreseen.
int PairForces::find_near(int i, const double* q) {
  const int from = list_.begin(i), to = list_.end(i);
  if (near_.size() < nth(to - from)) {
    near_.resize(nth(to - from));
    pull_.resize(near_.size());
  }
  const Box box = molecule_.box;
  const double x = q[3 * i], y = q[3 * i + 1], z = q[3 * i + 2];
  const int* partners = list_.partners();
  int count = 0;
  for (int k = from; k < to; ++k) {
    const int j = partners[k];
    const double dx = box.nearest(0, x - q[3 * j]), dy = box.nearest(1, y - q[3 * j + 1]),
                 dz = box.nearest(2, z - q[3 * j + 2]), s = dx * dx + dy * dy + dz * dz;
    near_[nth(count)] = {j, dx, dy, dz, s};
    count += s < cutoff_square_;
  }
  return count;
}

ChargeEnergy PairForces::read_table(double s) const {
  const double u = (s - law_.table_from()) * law_.bins_per_s();
  if (u < 0) return law_.exact(s);
  const int bin = static_cast<int>(u);
  const double t = u - bin;
  const CoulombLaw::Cubics& c = law_.table()[bin];
  return {c.energy[0] + t * (c.energy[1] + t * (c.energy[2] + t * c.energy[3])),
          c.slope[0] + t * (c.slope[1] + t * (c.slope[2] + t * c.slope[3]))};
}

template <bool charged>
double PairForces::add_row(int i, const double* q, double* f) {
  const int count = find_near(i, q);
  const Coefficients* row = coefficients_.data() + molecule_.type[nth(i)] * molecule_.types;
  const int* type = molecule_.type.data();
  double energy = 0;
  for (int k = 0; k < count; ++k) {
    const Near& near = near_[nth(k)];
    const Coefficients& c = row[type[near.j]];
    const double inverse = 1 / near.s, cube = inverse * inverse * inverse;
    energy += cube * (c.twelve * cube - c.six) - c.offset;
    double slope = -inverse * cube * (6 * c.twelve * cube - 3 * c.six);
    if constexpr (charged) {
      const double charges = charge_[nth(i)] * charge_[nth(near.j)];
      const ChargeEnergy coulomb = read_table(near.s);
      energy += charges * coulomb.energy;
      slope += charges * coulomb.slope;
    }
    pull_[nth(k)] = -2 * slope;
  }
  double fx = 0, fy = 0, fz = 0;
  for (int k = 0; k < count; ++k) {
    const Near& near = near_[nth(k)];
    const double pull = pull_[nth(k)], px = pull * near.dx, py = pull * near.dy, pz = pull * near.dz;
    fx += px;
    fy += py;
    fz += pz;
    double* other = f + 3 * near.j;
    other[0] -= px;
    other[1] -= py;
    other[2] -= pz;
  }
  f[3 * i] += fx;
  f[3 * i + 1] += fy;
  f[3 * i + 2] += fz;
  return energy;
}

// Damped laws count a pair in full and then subtract 1/r for the share that is left out, as LAMMPS does.
double PairForces::add_special(const double* q, double* f) const {
  const bool damped = molecule_.coulomb == Coulomb::dsf || molecule_.coulomb == Coulomb::ewald;
  double energy = 0;
  for (const SpecialPair& pair : molecule_.special) {
    if (!damped && pair.lj == 0 && pair.coulomb == 0) continue;
    double d[3], s = 0;
    for (int k = 0; k < 3; ++k) {
      d[k] = molecule_.box.nearest(k, q[3 * pair.i + k] - q[3 * pair.j + k]);
      s += d[k] * d[k];
    }
    if (!(s < cutoff_square_)) continue;
    const Coefficients& c =
        coefficients_[nth(molecule_.type[nth(pair.i)] * molecule_.types + molecule_.type[nth(pair.j)])];
    const double inverse = 1 / s, cube = inverse * inverse * inverse;
    energy += pair.lj * (cube * (c.twelve * cube - c.six) - c.offset);
    double slope = -pair.lj * inverse * cube * (6 * c.twelve * cube - 3 * c.six);
    if (charged_) {
      const double charges = charge_[nth(pair.i)] * charge_[nth(pair.j)], bare = std::sqrt(inverse);
      const ChargeEnergy coulomb = law_.exact(s);
      const double whole = damped ? 1 : pair.coulomb, taken = damped ? 1 - pair.coulomb : 0;
      energy += charges * (whole * coulomb.energy - taken * bare);
      slope += charges * (whole * coulomb.slope + taken * 0.5 * bare * inverse);
    }
    for (int k = 0; k < 3; ++k) {
      f[3 * pair.i + k] -= 2 * slope * d[k];
      f[3 * pair.j + k] += 2 * slope * d[k];
    }
  }
  return energy;
}
}  // namespace trill
