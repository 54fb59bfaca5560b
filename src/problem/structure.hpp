// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "trill/base/errors.hpp"
#include "trill/problem/mechanical.hpp"

#include <optional>

namespace trill {
// A named number of a structure: weights^T u.
struct StructureOutput {
  std::string name, unit;
  Vec weights;
};

// C = mass M + stiffness K
struct ProportionalDamping {
  double mass = 0, stiffness = 0;
};

// M u'' + C u' + K u = sum of b_i p_i(t), constant sparse matrices     (PJY97 eq. 3.7)
// Forces, Jacobians and energy follow from the three matrices.
class LinearStructure : public MechanicalProblem {
 public:
  static std::string kind() { return "a linear structure"; }
  virtual const SpMat& mass_matrix() const = 0;
  virtual const SpMat& damping_matrix() const = 0;
  virtual const SpMat& stiffness_matrix() const = 0;
  virtual const Mat& load_shapes() const = 0;                  // a column for each b_i
  virtual void load_factors(double t, Out factors) const = 0;  // the p_i
  virtual std::vector<StructureOutput> outputs() const { return {}; }
  virtual std::optional<ProportionalDamping> proportional_damping() const;  // empty: C is not such a sum
  // Complaints about K and about the factor of a load, with the place where a file gives them.
  virtual UsageError stiffness_error(const std::string& message) const { return UsageError(message); }
  virtual UsageError factor_error(Index /*load*/, const std::string& message) const { return UsageError(message); }
  void load(double t, Out f) const;

  Layout layout() const override;
  MassKind mass_kind() const override { return MassKind::constant; }
  MatrixSlot mass_pattern() const override;
  void mass(In q, MatrixSlot& m) const override;
  void force(Groups groups, double t, In q, In v, Out f) const override;
  MatrixSlot stiffness_pattern() const override;
  MatrixSlot damping_pattern() const override;
  bool force_jacobian(Groups groups, double t, In q, In v, MatrixSlot& dq, MatrixSlot& dv) const override;
  bool velocity_dependent(Groups) const override { return damping_matrix().nonZeros() > 0; }

 private:
  mutable Vec factors_;
};

double quadratic_form(const SpMat& a, In x);  // x^T A x
}  // namespace trill
