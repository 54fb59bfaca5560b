// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "linalg/row_products.hpp"
#include "trill/linalg/linear_solver.hpp"
#include "trill/problem/mechanical.hpp"

namespace trill {
// M x + G^T mu = r, G x + c = 0, through S = G M^-1 G^T: factorised once for a point, solved many times.
class SchurSystem {
 public:
  SchurSystem(const MechanicalProblem& problem, const ConstraintMap& map);
  enum class Metric { mass, identity };  // identity: M = I whatever the mass
  SchurSystem(const MechanicalProblem& problem, const ConstraintMap& map, Metric metric);
  Index unknowns() const { return n_; }
  Index rows() const { return m_; }

  bool factorise(double t, In q);  // false: the rows depend on each other there, or the mass is singular
  bool factorise(double t, In q, In v, Vec& curvature);  // the same, and the curvature of the rows
  void solve(In r, In c, Out x, Out mu);
  void multipliers(In r, In c, Out mu);  // of the same system, without x
  void divide_by_mass(In r, Out x);
  void divide_by_schur(Out mu);  // S^-1 mu in place
  void lift(In mu, Out x);       // x = M^-1 G^T mu
  void slope(In x, Out c) { G_.multiply(x, c); }
  void forget();  // pivot orders of earlier matrices; allocates

  const MatrixSlot& jacobian() const { return G_; }
  const MatrixSlot& mass() const { return mass_; }
  double schur(Index i, Index j) const { return dense_ ? S_(i, j) : sparse_S_.value(i, j); }
  template <class Use>
  void each_entry(Use use) const {  // of S that may be other than zero
    for (Index j = 0; j < m_; ++j) {
      if (dense_) {
        for (Index i = 0; i < m_; ++i) use(i, j);
      } else {
        for (SpMat::InnerIterator it(sparse_S_.as_sparse(), j); it; ++it) use(it.row(), j);
      }
    }
  }
  // Rows that S joins, directly or through others: the number of a row's block.
  const std::vector<Index>& blocks() const { return blocks_; }
  // False where light bodies among heavy ones leave S no digits: at the point of the last factorisation.
  bool is_accurate() const;
  double reciprocal_condition() const;  // of S scaled to a unit diagonal, a rough estimate; 1 where S is sparse

 private:
  bool factorise_mass(In q);
  bool factorise_schur();
  void lift_jacobian();
  const double* lifted() const { return identity_ ? G_.values() : lifted_.data(); }
  void find_blocks();

  const MechanicalProblem& problem_;
  const ConstraintMap& map_;
  Index n_, m_;
  bool identity_, diagonal_, dense_;  // mass matrix; S
  MatrixSlot G_, mass_;
  Vec inverse_mass_;
  std::unique_ptr<LinearSolver> mass_solver_;
  bool mass_known_ = false;
  Mat lifted_;  // m x n: (M^-1 G^T)^T, where S is dense and the mass no identity
  Mat S_, L_;   // dense: S = L D L^T; below the diagonal L, on it D^-1, above it (L D)^T
  MatrixSlot sparse_S_;
  RowProducts products_;
  std::unique_ptr<LinearSolver> solver_;
  std::vector<Index> blocks_;
  Vec work_n_, work_m_;
};
}  // namespace trill
