// SPDX-License-Identifier: BSD-3-Clause
#include "problem/structure.hpp"

#include <algorithm>

namespace trill {
namespace {
bool same_places(const SpMat& a, const SpMat& b) {
  return a.isCompressed() && b.isCompressed() && a.nonZeros() == b.nonZeros() && a.outerSize() == b.outerSize() &&
         std::equal(a.outerIndexPtr(), a.outerIndexPtr() + a.outerSize() + 1, b.outerIndexPtr()) &&
         std::equal(a.innerIndexPtr(), a.innerIndexPtr() + a.nonZeros(), b.innerIndexPtr());
}

void copy_into(MatrixSlot& slot, const SpMat& values, double factor) {
  if (slot.is_sparse() && same_places(slot.as_sparse(), values)) {
    const Index count = values.nonZeros();
    Eigen::Map<Vec>(slot.values(), count) = factor * Eigen::Map<const Vec>(values.valuePtr(), count);
    return;
  }
  slot.set_zero();
  for (Index j = 0; j < values.outerSize(); ++j)
    for (SpMat::InnerIterator it(values, j); it; ++it) slot.add(it.row(), it.col(), factor * it.value());
}
}  // namespace

double quadratic_form(const SpMat& a, In x) {
  double sum = 0;
  for (Index j = 0; j < a.outerSize(); ++j)
    for (SpMat::InnerIterator it(a, j); it; ++it) sum += x[it.row()] * it.value() * x[j];
  return sum;
}

std::optional<ProportionalDamping> LinearStructure::proportional_damping() const {
  return damping_matrix().nonZeros() > 0 ? std::nullopt : std::optional<ProportionalDamping>(ProportionalDamping{});
}

void LinearStructure::load(double t, Out f) const {
  const Mat& shapes = load_shapes();
  if (factors_.size() != shapes.cols()) factors_.resize(shapes.cols());
  load_factors(t, factors_);
  f.noalias() = shapes * factors_;
}

Layout LinearStructure::layout() const {
  const Index n = mass_matrix().rows();
  return {n, n, 0, 0};
}

MatrixSlot LinearStructure::mass_pattern() const { return MatrixSlot::sparse(mass_matrix()); }
MatrixSlot LinearStructure::stiffness_pattern() const { return MatrixSlot::sparse(stiffness_matrix()); }
MatrixSlot LinearStructure::damping_pattern() const { return MatrixSlot::sparse(damping_matrix()); }

void LinearStructure::mass(In, MatrixSlot& m) const { copy_into(m, mass_matrix(), 1); }

void LinearStructure::force(Groups, double t, In q, In v, Out f) const {
  load(t, f);
  f.noalias() -= stiffness_matrix() * q;
  if (damping_matrix().nonZeros() > 0) f.noalias() -= damping_matrix() * v;
}

bool LinearStructure::force_jacobian(Groups, double, In, In, MatrixSlot& dq, MatrixSlot& dv) const {
  copy_into(dq, stiffness_matrix(), -1);
  copy_into(dv, damping_matrix(), -1);
  return true;
}
}  // namespace trill
