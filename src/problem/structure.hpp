// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "trill/problem/mechanical.hpp"

namespace trill {
// M u'' + C u' + K u = f(t), constant sparse matrices     (PJY97 eq. 3.7)
// Forces, Jacobians and energy follow from the three matrices.
class LinearStructure : public MechanicalProblem {
 public:
  static std::string kind() { return "a linear structure"; }
  virtual const SpMat& mass_matrix() const = 0;
  virtual const SpMat& damping_matrix() const = 0;
  virtual const SpMat& stiffness_matrix() const = 0;
  virtual void load(double t, Out f) const = 0;

  Layout layout() const override;
  MassKind mass_kind() const override { return MassKind::constant; }
  MatrixSlot mass_pattern() const override;
  void mass(In q, MatrixSlot& m) const override;
  void force(Groups groups, double t, In q, In v, Out f) const override;
  MatrixSlot stiffness_pattern() const override;
  MatrixSlot damping_pattern() const override;
  bool force_jacobian(Groups groups, double t, In q, In v, MatrixSlot& dq, MatrixSlot& dv) const override;
  bool velocity_dependent(Groups) const override { return damping_matrix().nonZeros() > 0; }
};
}  // namespace trill
