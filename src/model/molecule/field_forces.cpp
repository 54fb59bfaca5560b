// SPDX-License-Identifier: BSD-3-Clause
#include "model/molecule/field_forces.hpp"

#include "model/molecule/bonded_forces.hpp"

#include <cmath>

#include <fmt/format.h>

namespace trill {
FieldForces::FieldForces(const Molecule& molecule)
    : molecule_(molecule),
      pairs_(molecule),
      last_q_(Vec::Constant(molecule.start.size(), std::nan(""))),
      unused_(molecule.start.size()) {}

double FieldForces::add_bonded(Kind kind, const double* q, double* f) const {
  switch (kind) {
    case bonds:
      return add_bonds(molecule_.bonds, q, f);
    case angles:
      return add_angles(molecule_.angles, q, f) + add_bonds(molecule_.spans, q, f);
    case dihedrals:
      return add_torsions(molecule_.dihedrals, q, f);
    default:
      return add_torsions(molecule_.impropers, q, f);
  }
}

void FieldForces::add_pairs(const double* q, double* f) {
  last_q_ = Eigen::Map<const Vec>(q, last_q_.size());
  knows_energy_ = is_asked_;
  if (is_asked_)
    last_energy_ = pairs_.add_with_energy(q, f);
  else
    pairs_.add_forces(q, f);
  is_asked_ = false;
}

void FieldForces::forces(Kinds of, const double* q, double* f) {
  std::fill_n(f, last_q_.size(), 0.0);
  for (const Kind kind : {bonds, angles, dihedrals, impropers})
    if (of >> kind & 1) add_bonded(kind, q, f);
  const bool near = of >> pair & 1, far = molecule_.settings.split > 0 && of >> pair_long & 1;
  if (near && (far || molecule_.settings.split == 0))
    add_pairs(q, f);
  else if (near)
    pairs_.add_short(q, f);
  else if (far)
    pairs_.add_long(q, f);
}

double FieldForces::energy(Kind of, const double* q) {
  const bool is_split = molecule_.settings.split > 0;
  if (of == pair && !is_split) {
    is_asked_ = true;
    if (knows_energy_ && last_q_ == Eigen::Map<const Vec>(q, last_q_.size())) return last_energy_;
  }
  unused_.setZero();
  if (of == pair_long) return is_split ? pairs_.add_long(q, unused_.data()) : 0;
  if (of == pair && is_split) return pairs_.add_short(q, unused_.data());
  if (of != pair) return add_bonded(of, q, unused_.data());
  add_pairs(q, unused_.data());
  is_asked_ = true;
  return last_energy_;
}

std::unique_ptr<ForceProvider> make_forces(const Molecule& molecule) {
  if (molecule.settings.split > 0 && molecule.settings.forces != "trill")
    throw UsageError("the parameter split needs trill's own forces; leave out forces=" + molecule.settings.forces);
  if (molecule.settings.split > molecule.settings.cutoff)
    throw UsageError(fmt::format("the distance split = {:g} A must not be larger than the cut-off of {:g} A",
                                 molecule.settings.split, molecule.settings.cutoff));
  if (molecule.settings.forces == "lammps") return make_lammps_forces(molecule);
  if (molecule.settings.forces == "openmm") return make_openmm_forces(molecule);
  return std::make_unique<FieldForces>(molecule);
}
}  // namespace trill
