// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "trill/linalg/linear_solver.hpp"
#include "trill/method/stage_block.hpp"

namespace trill {
// sum of sign sigma^power B over blocks B of a matrix, for sigma = 1/(h gamma) of every mode of a stage block: real for
// a real mode, complex for one of a pair. Factorised together, solved mode by mode. The first `balanced` rows and the
// columns after them are scaled by sigma^-2: then a system of masses and multipliers is of one size for every h.
class ShiftedMatrix {
 public:
  ShiftedMatrix(const MatrixSlot& pattern, const StageBlock& block, Index balanced);
  // `source` stays where it is; its values are read in factorise().
  void add(const MatrixSlot& source, Index row, Index col, bool transposed, int power, double sign);
  bool factorise(double h);
  void forget();  // pivots of earlier matrices

  void solve(const double* rhs, double* x);  // for all stages, one after another
  Index size() const { return pattern_.rows(); }
  bool is_sparse() const { return pattern_.is_sparse(); }
  // One solve with the matrix of the first real mode; there is one when the number of implicit stages is odd.
  void solve_real(Vec& x);

 private:
  struct Term {
    const MatrixSlot* source;
    std::vector<Index> places;
    int power;
    double sign;
  };
  template <class Scalar>
  void assemble(Scalar sigma, Scalar* values) const;

  template <class Scalar>
  void scale_rows(Scalar inverse_square, Scalar* x) const;
  template <class Scalar>
  void scale_columns(Scalar square, Scalar* x) const;

  const StageBlock& block_;
  MatrixSlot pattern_;
  Index balanced_;
  double h_ = 1;
  std::vector<Term> terms_;
  std::vector<std::unique_ptr<LinearSolver>> reals_;
  std::vector<std::unique_ptr<ComplexSolver>> pairs_;
  std::vector<Complex> values_, x_;
  Vec real_x_;
};
}  // namespace trill
