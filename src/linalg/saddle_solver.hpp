// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "linalg/schur_complement.hpp"

#include <optional>

namespace trill {
// M x + G^T mu = r, G x + c = 0, factorised once for a point and solved many times: through S = G M^-1 G^T or as one
// matrix [M G^T; G 0]. S is the smaller one, and sparse where G is and the mass is diagonal. The whole matrix is better
// with a full mass, whose condition S would inherit and which makes S dense. It is the only way where the mass is
// singular (the constraints then hold what has none) or where light bodies among heavy ones leave S no digits. Which of
// them it is, is decided at the first point.
class SaddleSolver {
 public:
  enum class Way {
    best,
    schur_first,  // also with a full mass as long as the whole matrix is not sparse: pivots of S tell how independent
                  // the rows are
    schur_only    // for those who look at S itself
  };
  SaddleSolver(MassShape shape, MatrixSlot mass, MatrixSlot G, Way way = Way::best);
  ~SaddleSolver();
  SaddleSolver(const SaddleSolver&) = delete;
  SaddleSolver& operator=(const SaddleSolver&) = delete;

  // The owner writes into both, and says so when it has changed the mass.
  MatrixSlot& mass() { return mass_; }
  MatrixSlot& rows() { return G_; }
  const MatrixSlot& mass() const { return mass_; }
  const MatrixSlot& rows() const { return G_; }
  void change_mass() { mass_changed_ = true; }

  bool factorise();  // false: the rows depend on each other, or some motion that they leave has no mass
  void solve(In r, In c, Out x, Out mu);
  void smallest(In c, Out x, Out mu);  // x = M^-1 G^T mu with G x = c, the smallest one in the metric of the mass

  bool uses_schur() const { return !whole_; }
  SchurComplement& schur() { return *schur_; }  // where it is used
  const SchurComplement& schur() const { return *schur_; }
  bool has_sparse_factors() const;
  void forget();        // pivot orders of earlier matrices; allocates
  void choose_again();  // at the next point; allocates there

 private:
  class WholeMatrix;

  MatrixSlot mass_, G_;
  MassShape shape_;
  Way way_;
  std::optional<SchurComplement> schur_;
  std::unique_ptr<WholeMatrix> whole_;  // in its place
  bool mass_changed_ = true, chosen_ = false;
};
}  // namespace trill
