// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "trill/problem/mechanical.hpp"

namespace trill {
// The rows of one map followed by those of another, for example stiff gaps and hard constraints.
class JoinedMap final : public ConstraintMap {
 public:
  JoinedMap(const ConstraintMap& first, const ConstraintMap& second);
  Index count() const override { return upper_.rows() + lower_.rows(); }
  std::string name(Index k) const override {
    return k < upper_.rows() ? first_.name(k) : second_.name(k - upper_.rows());
  }
  MatrixSlot pattern() const override { return joined_; }
  bool moving() const override { return first_.moving() || second_.moving(); }
  void value(double t, In q, Out g) const override;
  void jacobian(double t, In q, MatrixSlot& G) const override;
  void time_derivative(double t, In q, Out gt) const override;
  void curvature(double t, In q, In v, Out eta) const override;
  void slope_and_curvature(double t, In q, In v, MatrixSlot& G, Out eta) const override;
  void transpose_derivative(double t, In q, In s, MatrixSlot& d) const override;
  MatrixSlot transpose_pattern() const override;
  bool velocity_derivative(double t, In q, In v, MatrixSlot& d) const override;
  bool value_derivative(int k, const Motion& motion, Out values) const override;
  bool jacobian_derivative(int k, const Motion& motion, MatrixSlot& d) const override;
  bool jacobian_along(double t, In q, In dq, MatrixSlot& d) const override;
  bool rigid_rate(int k, const Motion& motion, In s, In s1, Out covector, Out values) const override;
  bool reaction_along(double t, In q, In dq, In s, Out values) const override;

 private:
  void join(MatrixSlot& G) const;
  const ConstraintMap& first_;
  const ConstraintMap& second_;
  mutable MatrixSlot upper_, lower_, one_, other_;
  MatrixSlot joined_;
  SlotMap upper_places_, lower_places_;
  mutable Vec part_;
};
}  // namespace trill
