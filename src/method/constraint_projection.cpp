// SPDX-License-Identifier: BSD-3-Clause
#include "method/constraint_projection.hpp"

#include <cmath>

namespace trill {
ProjectedMass::ProjectedMass(const MechanicalProblem& p, Acceleration& mass)
    : mass_(mass),
      sparse_(p.constraints()->pattern().is_sparse() &&
              (p.mass_kind() == MassKind::identity || p.mass_kind() == MassKind::diagonal)),
      column_(p.layout().nq),
      product_(p.constraints()->count()) {
  if (sparse_) products_ = RowProducts(p.constraints()->pattern());
  pattern_ = sparse_ ? products_.pattern() : MatrixSlot::dense(product_.size(), product_.size());
}

void ProjectedMass::find_inverse(In q) {
  column_.setOnes();
  mass_.divide_by_mass(q, column_);
}

void ProjectedMass::form(In q, const MatrixSlot& G, const MatrixSlot& W, MatrixSlot& out) {
  if (sparse_) {
    find_inverse(q);
    return products_.form(G, column_, W, out);
  }
  out.set_zero();
  const Index m = G.rows();
  for (Index j = 0; j < m; ++j) {
    for (Index i = 0; i < column_.size(); ++i) column_[i] = W.value(j, i);
    mass_.divide_by_mass(q, column_);
    G.multiply(column_, product_);
    for (Index i = 0; i < m; ++i) out.add(i, j, product_[i]);
  }
}

void ProjectedMass::largest_in_rows(In q, const MatrixSlot& G, Out sizes) {
  if (sparse_) {
    find_inverse(q);
    sizes.setZero();
    for (Index j = 0; j < G.cols(); ++j)
      for (SpMat::InnerIterator it(G.as_sparse(), j); it; ++it)
        sizes[it.row()] = std::max(sizes[it.row()], std::abs(it.value() * column_[j]));
    return;
  }
  for (Index k = 0; k < sizes.size(); ++k) {
    for (Index i = 0; i < column_.size(); ++i) column_[i] = G.value(k, i);
    mass_.divide_by_mass(q, column_);
    sizes[k] = column_.cwiseAbs().maxCoeff();
  }
}

ConstraintProjection::PositionSystem::PositionSystem(const MechanicalProblem& p, Acceleration& mass)
    : MatrixSystem(ProjectedMass(p, mass).pattern()),
      map_(*p.constraints()),
      mass_(mass),
      projected_(p, mass),
      G1_(map_.pattern()),
      J_(projected_.pattern()),
      G0(map_.pattern()),
      q_free(p.layout().nq),
      q1(p.layout().nq) {}

void ConstraintProjection::PositionSystem::residual(In s, Out r) {
  G0.multiply_transposed(s, q1);
  mass_.divide_by_mass(q_free, q1);
  q1 = q_free - q1;
  map_.value(t1, q1, r);
}

void ConstraintProjection::PositionSystem::jacobian(In, MatrixSlot& j) {
  map_.jacobian(t1, q1, G1_);
  projected_.form(q1, G1_, G0, j);
  j.scale(-1);
}

// One pass of Gauss-Seidel over the linearised constraints. What a correction does to the others is subtracted from
// their residuals, column by column; the matrix has a symmetric pattern.
bool ConstraintProjection::PositionSystem::sweep(double relaxation, Out s, Out r) {
  map_.jacobian(t1, q1, G1_);
  projected_.form(q1, G1_, G0, J_);
  for (Index c = 0; c < s.size(); ++c) {
    const double diagonal = J_.value(c, c);
    if (!(diagonal > 0)) return false;
    const double by = relaxation * r[c] / diagonal;
    s[c] += by;
    if (J_.is_sparse())
      for (SpMat::InnerIterator it(J_.as_sparse(), c); it; ++it) r[it.row()] -= by * it.value();
    else
      r -= by * J_.as_dense().col(c);
  }
  return true;
}

ConstraintProjection::ConstraintProjection(const MechanicalProblem& p, Acceleration& mass, const PositionSolver& solver)
    : solver_(solver),
      map_(*p.constraints()),
      position_(p, mass),
      newton_(map_.count(),
              NewtonOptions{.tolerance = 0.1, .max_iterations = 20, .jacobian_every = 1, .exact_jacobian = true}),
      manifold_(p, map_),
      work_m_(map_.count()) {}

void ConstraintProjection::weigh(double weight, In q, Out weights) {
  position_.projected().largest_in_rows(q, position_.G0, weights);
  weights *= weight;
}

void ConstraintProjection::forget() {
  position_.forget();
  manifold_.forget();
}

NewtonStats ConstraintProjection::sweep_positions(Out s) {
  NewtonStats stats;
  for (; stats.iterations <= solver_.most_sweeps; ++stats.iterations) {
    position_.residual(s, work_m_);
    const double open = work_m_.cwiseAbs().maxCoeff();
    stats.converged = open <= solver_.tolerance;
    if (stats.converged || !std::isfinite(open) || !position_.sweep(solver_.relaxation, s, work_m_)) break;
  }
  return stats;
}

NewtonStats ConstraintProjection::project_position(double t, In q_free, In weights, Out s, Out q) {
  position_.q_free = q_free;
  position_.t1 = t;
  const NewtonStats stats = solver_.sweeps ? sweep_positions(s) : newton_.solve(position_, s, weights);
  if (!stats.converged) return stats;
  position_.residual(s, work_m_);
  q = position_.q1;
  return stats;
}
}  // namespace trill
