// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "model/molecule/coulomb_law.hpp"
#include "model/molecule/ewald_sum.hpp"
#include "model/molecule/pair_list.hpp"

#include <optional>

namespace trill {
// Lennard-Jones and Coulomb forces between atoms that no angle or bond joins, and what is left of them between those
// that one does.
class PairForces {
 public:
  explicit PairForces(const Molecule& molecule);
  double add(const double* q, double* f);  // returns the energy; NaN where a position is not finite
  const PairList& list() const { return list_; }

 private:
  struct Coefficients {
    double twelve = 0, six = 0, offset = 0;  // energy: twelve/s^6 - six/s^3 - offset
  };
  struct Near {
    int j;
    double dx, dy, dz, s;
  };
  int find_near(int i, const double* q);
  template <bool charged>
  double add_row(int i, const double* q, double* f);
  double add_special(const double* q, double* f) const;
  ChargeEnergy read_table(double s) const;

  const Molecule& molecule_;
  double cutoff_square_;
  bool charged_;
  CoulombLaw law_;
  PairList list_;
  std::optional<EwaldSum> far_;
  std::vector<Coefficients> coefficients_;  // types x types
  std::vector<double> charge_;              // times the root of the constant of Coulomb's law
  double self_energy_ = 0;
  std::vector<Near> near_;
  std::vector<double> pull_;
};
}  // namespace trill
