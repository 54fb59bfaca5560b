// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "model/molecule/molecule.hpp"

#include <memory>

namespace trill {
// Who computes the forces on the atoms of a molecule: trill itself, or another program. A provider keeps lists and
// buffers between calls, so that each problem has its own.
class ForceProvider {
 public:
  // pair_long: the smooth part of charges, where the molecule asks for it to be split off.
  enum Kind : unsigned { bonds, angles, dihedrals, impropers, pair, pair_long, kinds };
  using Kinds = unsigned;  // bit k is set: kind k

  ForceProvider() = default;
  ForceProvider(const ForceProvider&) = delete;
  ForceProvider& operator=(const ForceProvider&) = delete;
  virtual ~ForceProvider() = default;
  // Overwrites f with the sum over these kinds. The atoms of a molecule are next to each other in q, wherever the box
  // ends. NaN in f where a position is not finite.
  virtual void forces(Kinds of, const double* q, double* f) = 0;
  virtual double energy(Kind of, const double* q) = 0;
};

// As the settings of the molecule say. UsageError if the library of another program is not there, or cannot compute
// such forces.
std::unique_ptr<ForceProvider> make_forces(const Molecule& molecule);
std::unique_ptr<ForceProvider> make_lammps_forces(const Molecule& molecule);
std::unique_ptr<ForceProvider> make_openmm_forces(const Molecule& molecule);
}  // namespace trill
