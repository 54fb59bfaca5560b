// SPDX-License-Identifier: BSD-3-Clause
// Coordinate splitting [Y, X] of constraints: G Y is regular, and
//   P(q) = X^T (I - G^T (G Y)^-T Y^T),   P r = X^T (r + G^T s),   s = -(G Y)^-T Y^T r     (YPR98 eq. 3.7, transposed)
// The split stays until it is chosen again; G follows q.
#pragma once

#include "trill/linalg/linear_solver.hpp"

#include <memory>
#include <vector>

namespace trill {
enum class SplitBy { lu, qr };

class CoordinateSplit {
 public:
  CoordinateSplit(const MatrixSlot& G, SplitBy by);

  bool choose(const MatrixSlot& G);    // false: the constraints are dependent there
  bool stand_at(const MatrixSlot& G);  // the same split with the present G Y; false: it is singular
  bool is_worn();                      // (G Y)^-1 has grown tenfold since the split was chosen
  void multipliers(In r, Out s);       // at the last point
  // n x (n - m), orthonormal for qr. Only for small systems; no iteration needs it.
  Mat rest() const;

 private:
  bool pick_rows(const MatrixSlot& G);
  void form(const MatrixSlot& G);
  double inverse_size();

  Index n_, m_;
  SplitBy by_;
  Mat work_;                   // G^T, eliminated (lu)
  std::vector<Index> picked_;  // coordinates in Y (lu), followed by all others
  MatrixSlot reference_;       // G where the split was chosen; its rows span Y (qr)
  MatrixSlot gy_;              // (G Y)^T
  std::unique_ptr<LinearSolver> solver_;
  Vec y_r_, probe_;
  double chosen_size_ = 0;
};
}  // namespace trill
