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
  // Forces are added to f, the same to the last bit with and without the energy, which costs a quarter more. NaN where
  // a position is not finite.
  void add_forces(const double* q, double* f) { add<Part::all, false>(q, f); }
  double add_with_energy(const double* q, double* f) { return add<Part::all, true>(q, f); }
  // The two parts of which these consist: Lennard-Jones and the near part of 1/r, and the rest.
  double add_short(const double* q, double* f) { return add<Part::near, true>(q, f); }
  double add_long(const double* q, double* f) { return add<Part::far, true>(q, f); }
  const PairList& list() const { return list_; }

 private:
  enum class Part { all, near, far };
  struct Coefficients {
    double twelve = 0, six = 0, offset = 0;  // energy: twelve/s^6 - six/s^3 - offset
  };
  Coefficients coefficients_of(const LennardJones& pair) const;
  template <Part part, bool with_energy>
  double add(const double* q, double* f);
  int find_near(int i, const double* q);
  template <Part part, bool charged, bool with_energy>
  double find_pulls(int i, int count);
  void push(int i, int count, double* f) const;
  template <Part part>
  double add_special(const double* q, double* f) const;

  const Molecule& molecule_;
  double cutoff_square_;
  bool charged_;
  CoulombLaw law_;
  NearCharge near_;
  PairList list_;
  std::optional<EwaldSum> far_;
  std::vector<Coefficients> coefficients_;  // types x types
  std::vector<Coefficients> third_;         // of atoms three bonds apart; empty: the same
  std::vector<double> charge_;              // times the root of the constant of Coulomb's law
  double self_energy_ = 0;
  // The partners of one atom inside the cut-off: number, difference of positions, its square, force over difference.
  std::vector<int> j_;
  std::vector<double> dx_, dy_, dz_, s_, pull_;
};
}  // namespace trill
