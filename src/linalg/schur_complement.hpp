// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "linalg/row_products.hpp"
#include "trill/linalg/linear_solver.hpp"

namespace trill {
enum class MassShape { identity, diagonal, full };

// M x + G^T mu = r, G x + c = 0, through S = G M^-1 G^T: factorised once for a point, solved many times. It refers to M
// and G; after changing their values the owner must call take_mass() and take_rows().
class SchurComplement {
 public:
  SchurComplement(MassShape shape, const MatrixSlot& mass, const MatrixSlot& G);
  Index unknowns() const { return n_; }
  Index rows() const { return m_; }

  bool take_mass();  // false: M is singular
  bool take_rows();  // false: the rows of G depend on each other
  void solve(In r, In c, Out x, Out mu);
  void multipliers(In r, In c, Out mu);  // only mu of the same system
  void divide_by_mass(In r, Out x);
  void divide_by_schur(Out mu);  // S^-1 mu in place
  void lift(In mu, Out x);       // x = M^-1 G^T mu
  void forget();                 // drops the pivot order of earlier matrices; allocates

  double entry(Index i, Index j) const { return dense_ ? S_(i, j) : sparse_S_.value(i, j); }
  template <class Use>
  void each_entry(Use use) const {  // entries of S that may be nonzero
    for (Index j = 0; j < m_; ++j) {
      if (dense_) {
        for (Index i = 0; i < m_; ++i) use(i, j);
      } else {
        for (SpMat::InnerIterator it(sparse_S_.as_sparse(), j); it; ++it) use(it.row(), j);
      }
    }
  }
  // For each row the number of its block. Rows coupled by S, directly or through others, are in the same block.
  const std::vector<Index>& blocks() const { return blocks_; }
  // False if S loses all digits because of very light and very heavy bodies. Uses the last M taken and the current G.
  bool is_accurate() const;
  double reciprocal_condition() const;  // rough estimate for S scaled to a unit diagonal; 1 if S is sparse

 private:
  void lift_rows();
  const double* lifted() const { return identity_ ? G_.values() : lifted_.data(); }
  double inverse_mass(Index j) const { return diagonal_ ? inverse_mass_[j] : 1 / mass_.value(j, j); }
  void find_blocks();

  const MatrixSlot& mass_;
  const MatrixSlot& G_;
  Index n_, m_;
  bool identity_, diagonal_, dense_;  // mass matrix; S
  Vec inverse_mass_;
  std::unique_ptr<LinearSolver> mass_solver_;
  Mat lifted_;  // m x n: (M^-1 G^T)^T, if S is dense and the mass is not the identity
  Mat S_, L_;   // dense: S = L D L^T; below the diagonal L, on it D^-1, above it (L D)^T
  MatrixSlot sparse_S_;
  RowProducts products_;
  std::unique_ptr<LinearSolver> solver_;
  std::vector<Index> blocks_;
  Vec work_;
};
}  // namespace trill
