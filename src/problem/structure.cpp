// SPDX-License-Identifier: BSD-3-Clause
#include "problem/structure.hpp"

namespace trill {
namespace {
void copy_into(MatrixSlot& slot, const SpMat& values, double factor) {
  slot.set_zero();
  for (Index j = 0; j < values.outerSize(); ++j)
    for (SpMat::InnerIterator it(values, j); it; ++it) slot.add(it.row(), it.col(), factor * it.value());
}
}  // namespace

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
