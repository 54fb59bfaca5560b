// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "linalg/saddle_balance.hpp"
#include "method/stage_block.hpp"
#include "trill/linalg/linear_solver.hpp"

#include <array>

namespace trill {
// The sum of sign sigma^power B over blocks B of a matrix, for sigma = 1/(h gamma) of every mode of a stage block: real
// for a real mode, complex for one of a pair. All modes are factorised together and solved one by one. The first
// `balanced` rows and the columns after them are scaled by sigma^-2, so that a system of masses and multipliers has
// entries of similar size for every h.
class ShiftedMatrix {
 public:
  ShiftedMatrix(const MatrixSlot& pattern, const StageBlock& block, Index balanced);
  // `source` must stay at its address; its values are read in factorise().
  void add(const MatrixSlot& source, Index row, Index col, bool transposed, int power, double sign);
  bool factorise(double h);
  void forget();  // drops the pivots of earlier matrices

  void solve(const double* rhs, double* x);  // for all stages, one after another
  Index size() const { return pattern_.rows(); }
  bool is_sparse() const { return pattern_.is_sparse(); }
  // One solve with the matrix of the first real mode, which exists if the number of implicit stages is odd.
  void solve_real(Vec& x);

 private:
  struct Term {
    const MatrixSlot* source;
    std::vector<Index> places;
    int power;
    double sign;
  };
  template <class Scalar>
  using Powers = std::array<Scalar, 5>;  // sigma^-2 .. sigma^2
  template <class Scalar>
  static Powers<Scalar> powers_of(Scalar sigma);
  template <class Scalar>
  void assemble(const Powers<Scalar>& sigma, Scalar* values) const;

  // Both for n rows and all stages: right-hand sides of the modes, and the sum of their solutions.
  void take_modes(auto n, auto count, const double* rhs);
  void add_modes(auto n, auto count, double* x);
  template <class Scalar>
  void scale_rows(const Powers<Scalar>& sigma, Scalar* x) const;
  template <class Scalar>
  void scale_columns(const Powers<Scalar>& sigma, Scalar* x) const;

  const StageBlock& block_;
  MatrixSlot pattern_;
  Index balanced_;
  SaddleBalance balance_;
  std::vector<Term> terms_;
  std::vector<std::unique_ptr<LinearSolver>> reals_;
  std::vector<std::unique_ptr<ComplexSolver>> pairs_;
  std::vector<Powers<double>> real_powers_;
  std::vector<Powers<Complex>> pair_powers_;
  std::vector<Complex> values_;
  Eigen::MatrixXcd x_;  // one column for each pair
  Mat real_x_;          // one for each real mode
  Vec pair_real_, pair_imag_;
};
}  // namespace trill
