// SPDX-License-Identifier: BSD-3-Clause
#include "formulation/joined_map.hpp"

#include "linalg/stored_entries.hpp"

namespace trill {
namespace {
MatrixSlot stacked_pattern(const MatrixSlot& upper, const MatrixSlot& lower) {
  if (!upper.is_sparse() && !lower.is_sparse()) return MatrixSlot::dense(upper.rows() + lower.rows(), upper.cols());
  std::vector<Eigen::Triplet<double>> entries;
  const auto add = [&](const MatrixSlot& from, Index row) {
    each_stored(from, [&](Index i, Index j, Index) { entries.emplace_back(row + i, j, 1.0); });
  };
  add(upper, 0);
  add(lower, upper.rows());
  SpMat pattern(upper.rows() + lower.rows(), upper.cols());
  pattern.setFromTriplets(entries.begin(), entries.end());
  return MatrixSlot::sparse(std::move(pattern));
}
}  // namespace

JoinedMap::JoinedMap(const ConstraintMap& first, const ConstraintMap& second)
    : first_(first),
      second_(second),
      upper_(first.pattern()),
      lower_(second.pattern()),
      one_(first.transpose_pattern()),
      other_(second.transpose_pattern()),
      joined_(stacked_pattern(upper_, lower_)),
      upper_places_(joined_, upper_),
      lower_places_(joined_, lower_, upper_.rows(), 0),
      part_(upper_.cols()) {}

void JoinedMap::join(MatrixSlot& G) const {
  G.set_zero();
  G.scale_add(1, upper_, upper_places_);
  G.scale_add(1, lower_, lower_places_);
}

void JoinedMap::value(double t, In q, Out g) const {
  first_.value(t, q, g.head(upper_.rows()));
  second_.value(t, q, g.tail(lower_.rows()));
}

void JoinedMap::jacobian(double t, In q, MatrixSlot& G) const {
  first_.jacobian(t, q, upper_);
  second_.jacobian(t, q, lower_);
  join(G);
}

void JoinedMap::time_derivative(double t, In q, Out gt) const {
  first_.time_derivative(t, q, gt.head(upper_.rows()));
  second_.time_derivative(t, q, gt.tail(lower_.rows()));
}

void JoinedMap::curvature(double t, In q, In v, Out eta) const {
  first_.curvature(t, q, v, eta.head(upper_.rows()));
  second_.curvature(t, q, v, eta.tail(lower_.rows()));
}

void JoinedMap::slope_and_curvature(double t, In q, In v, MatrixSlot& G, Out eta) const {
  first_.slope_and_curvature(t, q, v, upper_, eta.head(upper_.rows()));
  second_.slope_and_curvature(t, q, v, lower_, eta.tail(lower_.rows()));
  join(G);
}

MatrixSlot JoinedMap::transpose_pattern() const { return union_pattern(one_, other_); }

void JoinedMap::transpose_derivative(double t, In q, In s, MatrixSlot& d) const {
  first_.transpose_derivative(t, q, s.head(upper_.rows()), one_);
  second_.transpose_derivative(t, q, s.tail(lower_.rows()), other_);
  d.set_zero();
  d.scale_add(1, one_);
  d.scale_add(1, other_);
}

bool JoinedMap::velocity_derivative(double t, In q, In v, MatrixSlot& d) const {
  if (!first_.velocity_derivative(t, q, v, upper_) || !second_.velocity_derivative(t, q, v, lower_)) return false;
  join(d);
  return true;
}

bool JoinedMap::value_derivative(int k, const Motion& motion, Out values) const {
  return first_.value_derivative(k, motion, values.head(upper_.rows())) &&
         second_.value_derivative(k, motion, values.tail(lower_.rows()));
}

bool JoinedMap::jacobian_derivative(int k, const Motion& motion, MatrixSlot& d) const {
  if (!first_.jacobian_derivative(k, motion, upper_) || !second_.jacobian_derivative(k, motion, lower_)) return false;
  join(d);
  return true;
}

bool JoinedMap::rigid_rate(int k, const Motion& motion, In s, In s1, Out covector, Out values) const {
  const Index one = upper_.rows(), other = lower_.rows();
  if (!first_.rigid_rate(k, motion, s.head(one), s1.head(one), covector, values.head(one)) ||
      !second_.rigid_rate(k, motion, s.tail(other), s1.tail(other), part_, values.tail(other)))
    return false;
  covector += part_;
  return true;
}

bool JoinedMap::jacobian_along(double t, In q, In dq, MatrixSlot& d) const {
  if (!first_.jacobian_along(t, q, dq, upper_) || !second_.jacobian_along(t, q, dq, lower_)) return false;
  join(d);
  return true;
}

bool JoinedMap::reaction_along(double t, In q, In dq, In s, Out values) const {
  if (!first_.reaction_along(t, q, dq, s.head(upper_.rows()), values) ||
      !second_.reaction_along(t, q, dq, s.tail(lower_.rows()), part_))
    return false;
  values += part_;
  return true;
}
}  // namespace trill
