// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "trill/linalg/matrix_slot.hpp"

#include <complex>
#include <memory>

namespace trill {
using Complex = std::complex<double>;

// A x = b for a square complex A whose entries lie where those of a MatrixSlot lie. Memory is taken when it is made;
// afterwards only the choice of pivots of a sparse matrix allocates.
class ComplexSolver {
 public:
  virtual ~ComplexSolver() = default;
  virtual bool factorise(const Complex* values) = 0;  // as the pattern stores them; false: singular or not finite
  virtual void solve(Complex* x) = 0;                 // b in, x out
  virtual void forget() {}                            // pivots chosen for earlier matrices
};

// By size and kind of the pattern: an elimination of our own up to 24 unknowns, else Eigen's or KLU's.
std::unique_ptr<ComplexSolver> make_complex_solver(const MatrixSlot& pattern);
}  // namespace trill
