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
      near_(molecule.settings.split, molecule.settings.smooth == "c2"),
      list_(molecule.box, molecule.atoms(), molecule.settings.cutoff, molecule.settings.skin) {
  list_.leave_out(partners_of(molecule));
  for (const LennardJones& pair : molecule.pairs) coefficients_.push_back(coefficients_of(pair));
  for (const LennardJones& pair : molecule.pairs14) third_.push_back(coefficients_of(pair));
  double squares = 0;
  for (const double charge : molecule.charge) {
    charge_.push_back(std::sqrt(real_units::coulomb) * charge);
    squares += charge_.back() * charge_.back();
  }
  self_energy_ = squares * law_.self_energy();
  if (molecule.coulomb == Coulomb::ewald) far_.emplace(molecule.box, charge_, damping_of(molecule), ewald_angle);
}

PairForces::Coefficients PairForces::coefficients_of(const LennardJones& pair) const {
  const double six = 4 * pair.epsilon * std::pow(pair.sigma, 6), twelve = six * std::pow(pair.sigma, 6);
  return {twelve, six, molecule_.settings.shift == "yes" ? energy_of(twelve, six, cutoff_square_) : 0};
}

template <PairForces::Part part, bool with_energy>
double PairForces::add(const double* q, double* f) {
  if (!list_.update(q)) {
    std::fill_n(f, 3 * nth(molecule_.atoms()), std::nan(""));
    return std::nan("");
  }
  double energy = part == Part::near ? 0 : self_energy_;
  for (int i = 0; i < molecule_.atoms(); ++i) {
    const int count = find_near(i, q);
    energy += charged_ ? find_pulls<part, true, with_energy>(i, count) : find_pulls<part, false, with_energy>(i, count);
    push(i, count, f);
  }
  energy += add_special<part>(q, f);
  if (far_ && part != Part::near) energy += far_->add(q, f);
  return energy;
}
template double PairForces::add<PairForces::Part::all, false>(const double* q, double* f);
template double PairForces::add<PairForces::Part::all, true>(const double* q, double* f);
template double PairForces::add<PairForces::Part::near, true>(const double* q, double* f);
template double PairForces::add<PairForces::Part::far, true>(const double* q, double* f);

// Each partner is written and then kept or not, which is faster than a branch that cannot be foreseen.
int PairForces::find_near(int i, const double* q) {
  const int from = list_.begin(i), to = list_.end(i);
  if (j_.size() < nth(to - from)) {
    j_.resize(nth(to - from));
    for (auto* values : {&dx_, &dy_, &dz_, &s_, &pull_}) values->resize(j_.size());
  }
  const Box box = molecule_.box;
  const double x = q[3 * i], y = q[3 * i + 1], z = q[3 * i + 2];
  const int* partners = list_.partners();
  int count = 0;
  for (int k = from; k < to; ++k) {
    const int j = partners[k];
    const double dx = box.nearest(0, x - q[3 * j]), dy = box.nearest(1, y - q[3 * j + 1]),
                 dz = box.nearest(2, z - q[3 * j + 2]), s = dx * dx + dy * dy + dz * dz;
    const std::size_t at = nth(count);
    j_[at] = j;
    dx_[at] = dx;
    dy_[at] = dy;
    dz_[at] = dz;
    s_[at] = s;
    count += s < cutoff_square_;
  }
  return count;
}

template <PairForces::Part part, bool charged, bool with_energy>
double PairForces::find_pulls(int i, int count) {
  const Coefficients* row = coefficients_.data() + molecule_.type[nth(i)] * molecule_.types;
  const int *type = molecule_.type.data(), *partner = j_.data();
  const double *square = s_.data(), *charge = charge_.data(), own = charge_[nth(i)];
  double* pull = pull_.data();
  const CoulombLaw& law = law_;
  double energy = 0;
  for (int k = 0; k < count; ++k) {
    const int j = partner[k];
    const Coefficients& c = row[type[j]];
    const double s = square[k], inverse = 1 / s, cube = inverse * inverse * inverse;
    double slope = 0;
    if constexpr (part != Part::far) {
      slope = -inverse * cube * (6 * c.twelve * cube - 3 * c.six);
      if constexpr (with_energy) energy += cube * (c.twelve * cube - c.six) - c.offset;
    }
    if constexpr (charged) {
      const double charges = own * charge[j], root = std::sqrt(inverse);
      if constexpr (part != Part::near) {
        slope += charges * law.slope(s, inverse, root);
        if constexpr (with_energy) energy += charges * law.energy(s, root);
      }
      if constexpr (part != Part::all) {
        const ChargeEnergy near = near_.at(s, inverse, root);
        slope += (part == Part::near ? charges : -charges) * near.slope;
        energy += (part == Part::near ? charges : -charges) * near.energy;
      }
    }
    pull[k] = -2 * slope;
  }
  return energy;
}

void PairForces::push(int i, int count, double* f) const {
  double fx = 0, fy = 0, fz = 0;
  for (int k = 0; k < count; ++k) {
    const std::size_t at = nth(k);
    const double px = pull_[at] * dx_[at], py = pull_[at] * dy_[at], pz = pull_[at] * dz_[at];
    fx += px;
    fy += py;
    fz += pz;
    double* other = f + 3 * j_[at];
    other[0] -= px;
    other[1] -= py;
    other[2] -= pz;
  }
  f[3 * i] += fx;
  f[3 * i + 1] += fy;
  f[3 * i + 2] += fz;
}

// Where bare charges are taken off, the law counts a pair in full and 1/r is subtracted for the share that is left out.
template <PairForces::Part part>
double PairForces::add_special(const double* q, double* f) const {
  const bool takes_off = molecule_.takes_bare_charges_off();
  double energy = 0;
  for (const SpecialPair& pair : molecule_.special) {
    if (!takes_off && pair.lj == 0 && pair.coulomb == 0) continue;
    double d[3], s = 0;
    for (int k = 0; k < 3; ++k) {
      d[k] = molecule_.box.nearest(k, q[3 * pair.i + k] - q[3 * pair.j + k]);
      s += d[k] * d[k];
    }
    if (!(s < cutoff_square_)) continue;
    const std::size_t at = molecule_.place_of(pair.i, pair.j);
    const Coefficients& c = pair.third && !third_.empty() ? third_[at] : coefficients_[at];
    const double inverse = 1 / s, cube = inverse * inverse * inverse;
    double slope = 0;
    if constexpr (part != Part::far) {
      energy += pair.lj * (cube * (c.twelve * cube - c.six) - c.offset);
      slope = -pair.lj * inverse * cube * (6 * c.twelve * cube - 3 * c.six);
    }
    if (charged_ && part != Part::all) {
      const double charges = pair.coulomb * charge_[nth(pair.i)] * charge_[nth(pair.j)];
      const ChargeEnergy near = near_.at(s, inverse, std::sqrt(inverse));
      slope += (part == Part::near ? charges : -charges) * near.slope;
      energy += (part == Part::near ? charges : -charges) * near.energy;
    }
    if (charged_ && part != Part::near) {
      const double charges = charge_[nth(pair.i)] * charge_[nth(pair.j)], bare = std::sqrt(inverse);
      const double whole = takes_off ? 1 : pair.coulomb, taken = takes_off ? 1 - pair.coulomb : 0;
      energy += charges * (whole * law_.energy(s, bare) - taken * bare);
      slope += charges * (whole * law_.slope(s, inverse, bare) + taken * 0.5 * bare * inverse);
    }
    for (int k = 0; k < 3; ++k) {
      f[3 * pair.i + k] -= 2 * slope * d[k];
      f[3 * pair.j + k] += 2 * slope * d[k];
    }
  }
  return energy;
}
}  // namespace trill
