// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "linalg/schur_complement.hpp"

#include <optional>

namespace trill {
// M x + G^T mu = r, G x + c = 0, factorised once for a point and solved many times: either through S = G M^-1 G^T or as
// one matrix [M G^T; G 0]. S is smaller, and it is sparse if G is sparse and the mass diagonal. The whole matrix is
// better for a full mass, which would make S dense and pass its condition number on to S. It is the only way if the
// mass is singular (the constraints then determine the motion of the parts without mass) or if S would lose all digits
// because of very light and very heavy bodies. Which way is used is decided at the first point.
class SaddleSolver {
 public:
  enum class Way {
    best,
    schur_first,  // S also for a full mass if the whole matrix is not sparse: the pivots of S show how independent the
                  // rows are
    schur_only    // for callers that use S itself
  };
  SaddleSolver(MassShape shape, MatrixSlot mass, MatrixSlot G, Way way = Way::best);
  ~SaddleSolver();
  SaddleSolver(const SaddleSolver&) = delete;
  SaddleSolver& operator=(const SaddleSolver&) = delete;

  // The owner writes into both matrices and must call change_mass() after it has changed the mass.
  MatrixSlot& mass() { return mass_; }
  MatrixSlot& rows() { return G_; }
  const MatrixSlot& mass() const { return mass_; }
  const MatrixSlot& rows() const { return G_; }
  void change_mass() { mass_changed_ = true; }

  bool factorise();  // false: dependent rows, or a motion without mass that they do not prevent
  void solve(In r, In c, Out x, Out mu);
  void smallest(In c, Out x, Out mu);  // x = M^-1 G^T mu with G x = c, the smallest one in the metric of the mass

  bool uses_schur() const { return !whole_; }
  SchurComplement& schur() { return *schur_; }  // only if uses_schur()
  const SchurComplement& schur() const { return *schur_; }
  bool has_sparse_factors() const;
  void forget();        // drops the pivot order of earlier matrices; allocates
  void choose_again();  // decides again at the next point; allocates there

 private:
  class WholeMatrix;

  MatrixSlot mass_, G_;
  MassShape shape_;
  Way way_;
  std::optional<SchurComplement> schur_;
  std::unique_ptr<WholeMatrix> whole_;  // used instead of schur_, if not null
  bool mass_changed_ = true, chosen_ = false;
};
}  // namespace trill
