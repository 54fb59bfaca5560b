// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "model/molecule/force_provider.hpp"
#include "model/molecule/pair_forces.hpp"

namespace trill {
// The force field that is built into trill.
class FieldForces final : public ForceProvider {
 public:
  explicit FieldForces(const Molecule& molecule);
  void forces(Kinds of, const double* q, double* f) override;
  double energy(Kind of, const double* q) override;

 private:
  double add_bonded(Kind kind, const double* q, double* f) const;
  void add_pairs(const double* q, double* f);

  const Molecule& molecule_;
  PairForces pairs_;
  // Rows of a run ask for the energy where the forces were evaluated last. It is computed together with the forces as
  // long as it is asked for between them.
  Vec last_q_, unused_;
  double last_energy_ = 0;
  bool knows_energy_ = false, is_asked_ = false;
};
}  // namespace trill
