// SPDX-License-Identifier: BSD-3-Clause
#include "trill/formulation/underlying_ode.hpp"

namespace trill {
namespace {
constexpr Index dense_up_to = 24;

void add_entries(const MatrixSlot& from, Index row, Index col, bool transposed,
                 std::vector<Eigen::Triplet<double>>& list) {
  const auto put = [&](Index i, Index j) {
    list.emplace_back(transposed ? col + j : row + i, transposed ? row + i : col + j, 1.0);
  };
  if (!from.is_sparse()) {
    for (Index j = 0; j < from.cols(); ++j)
      for (Index i = 0; i < from.rows(); ++i) put(i, j);
    return;
  }
  for (Index j = 0; j < from.cols(); ++j)
    for (SpMat::InnerIterator it(from.as_sparse(), j); it; ++it) put(it.row(), it.col());
}

MatrixSlot saddle_pattern(const MatrixSlot& mass, const MatrixSlot& G) {
  const Index n = mass.rows(), m = G.rows();
  if (n + m <= dense_up_to) return MatrixSlot::dense(n + m, n + m);
  std::vector<Eigen::Triplet<double>> entries;
  add_entries(mass, 0, 0, false, entries);
  add_entries(G, n, 0, false, entries);
  add_entries(G, n, 0, true, entries);
  SpMat pattern(n + m, n + m);
  pattern.setFromTriplets(entries.begin(), entries.end());
  return MatrixSlot::sparse(pattern);
}

const ConstraintMap& constraints_of(const MechanicalProblem& problem) {
  if (!problem.constraints()) throw UsageError("'" + problem.name() + "' has no constraints");
  return *problem.constraints();
}
}  // namespace

UnderlyingOde::UnderlyingOde(const MechanicalProblem& problem)
    : problem_(problem),
      map_(constraints_of(problem)),
      n_(problem.layout().nq),
      m_(map_.count()),
      mass_(problem.mass_pattern()),
      G_(map_.pattern()),
      saddle_(saddle_pattern(mass_, G_)),
      mass_places_(saddle_, mass_),
      G_places_(saddle_, G_, n_, 0),
      solver_(make_linear_solver(saddle_)),
      rhs_(n_ + m_),
      solution_(n_ + m_) {
  solver_->analyse(saddle_);
}

bool UnderlyingOde::solve(double t, In q, In v, Out a, Out lambda) {
  problem_.mass(q, mass_);
  map_.jacobian(t, q, G_);
  saddle_.set_zero();
  saddle_.scale_add(1, mass_, mass_places_);
  saddle_.scale_add(1, G_, G_places_);
  if (G_.is_sparse()) {
    for (Index j = 0; j < n_; ++j)
      for (SpMat::InnerIterator it(G_.as_sparse(), j); it; ++it) *saddle_.entry(j, n_ + it.row()) = it.value();
  } else {
    for (Index j = 0; j < n_; ++j)
      for (Index i = 0; i < m_; ++i) *saddle_.entry(j, n_ + i) = G_.as_dense()(i, j);
  }
  if (!solver_->factorise(saddle_)) return false;
  problem_.force(all_groups, t, q, v, rhs_.head(n_));
  map_.curvature(t, q, v, rhs_.tail(m_));
  rhs_.tail(m_) *= -1;
  solver_->solve(rhs_, solution_);
  a = solution_.head(n_);
  lambda = solution_.tail(m_);
  return true;
}
}  // namespace trill
