// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "model/molecule/molecule.hpp"
#include "trill/problem/mechanical.hpp"

namespace trill {
// How far the harmonic bonds and angles of a molecule are open: r - length, angle - angle0.
class MoleculeGaps final : public ConstraintMap {
 public:
  MoleculeGaps(const Molecule& molecule, bool with_bonds, bool with_angles);

  Index count() const override { return static_cast<Index>(gaps_.size()); }
  std::string name(Index k) const override;
  MatrixSlot pattern() const override;
  MatrixSlot transpose_pattern() const override;
  void value(double t, In q, Out g) const override;
  void jacobian(double t, In q, MatrixSlot& G) const override;
  void curvature(double t, In q, In v, Out eta) const override;
  bool velocity_derivative(double t, In q, In v, MatrixSlot& d) const override;
  void transpose_derivative(double t, In q, In s, MatrixSlot& d) const override;
  bool jacobian_along(double t, In q, In dq, MatrixSlot& d) const override;
  bool reaction_along(double t, In q, In dq, In s, Out values) const override;

  double stiffness(Index k) const { return gaps_[static_cast<std::size_t>(k)].stiffness; }
  bool is_angle(Index k) const { return gaps_[static_cast<std::size_t>(k)].atoms[2] >= 0; }
  bool of_angles(Index k) const { return gaps_[static_cast<std::size_t>(k)].of_angles; }

 private:
  struct Gap {
    std::array<int, 3> atoms{-1, -1, -1};  // the last is -1 for a distance
    double rest = 0, stiffness = 0;
    bool of_angles = false;
  };
  // Calls use(row, derivatives) for every gap.
  template <class Use>
  void each(In q, Use use) const;

  const Molecule& molecule_;
  std::vector<Gap> gaps_;
};
}  // namespace trill
