// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "trill/problem/mechanical.hpp"

#include <vector>

namespace trill {
// Some rows of a map, for example the bonds among the stiff gaps of a molecule. Refers to that map.
class ChosenMap final : public ConstraintMap {
 public:
  ChosenMap(const ConstraintMap& all, std::vector<Index> rows);
  Index count() const override { return static_cast<Index>(rows_.size()); }
  std::string name(Index k) const override { return all_.name(row(k)); }
  MatrixSlot pattern() const override { return chosen_; }
  bool moving() const override { return all_.moving(); }
  void value(double t, In q, Out g) const override;
  void jacobian(double t, In q, MatrixSlot& G) const override;
  void time_derivative(double t, In q, Out gt) const override;
  void curvature(double t, In q, In v, Out eta) const override;
  void slope_and_curvature(double t, In q, In v, MatrixSlot& G, Out eta) const override;
  bool velocity_derivative(double t, In q, In v, MatrixSlot& d) const override;
  void transpose_derivative(double t, In q, In s, MatrixSlot& d) const override;
  MatrixSlot transpose_pattern() const override { return all_.transpose_pattern(); }
  bool reaction_along(double t, In q, In dq, In s, Out values) const override;

 private:
  Index row(Index k) const { return rows_[static_cast<std::size_t>(k)]; }
  void choose(In values, Out chosen) const;
  void choose(MatrixSlot& G) const;  // from G_
  const Vec& spread(In s) const;     // zero in the other rows
  const ConstraintMap& all_;
  std::vector<Index> rows_;
  mutable MatrixSlot G_;
  MatrixSlot chosen_;
  std::vector<Index> places_;  // in the values of G_, of each stored value of the chosen rows
  mutable Vec g_, s_;
};
}  // namespace trill
