// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "model/molecule/molecule.hpp"

#include <vector>

namespace trill {
// The energy of two unit charges as a function of the square s of their distance, and its derivative by s.
struct ChargeEnergy {
  double energy = 0, slope = 0;
};

// All laws are 1/r near 0 and end at the cut-off: cut off, with energy and force shifted to 0 there, damped by erfc and
// shifted (Fennell and Gezelter 2006), or the near part of an Ewald sum. They are read from a table of cubics.
class CoulombLaw {
 public:
  CoulombLaw() = default;
  CoulombLaw(Coulomb kind, double cutoff, double damping);
  ChargeEnergy exact(double s) const;  // by library functions, s > 0
  double self_energy() const;          // of a unit charge, which does not depend on positions

  struct Cubics {
    double energy[4], slope[4];
  };
  static constexpr int bins = 16384;
  double table_from() const { return from_; }  // smaller s are not in the table
  double bins_per_s() const { return per_s_; }
  const Cubics* table() const { return table_.data(); }

 private:
  ChargeEnergy unshifted(double r) const;  // energy, and its derivative by r
  Coulomb kind_ = Coulomb::none;
  double cutoff_ = 0, damping_ = 0, energy_shift_ = 0, slope_shift_ = 0;
  double from_ = 0, per_s_ = 0;
  std::vector<Cubics> table_;
};
}  // namespace trill
