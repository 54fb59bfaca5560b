// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "trill/linalg/matrix_slot.hpp"

#include <complex>
#include <memory>

namespace trill {
using Complex = std::complex<double>;

// The product of std::complex spends time on checks for infinities; this one does not.
inline Complex plain_product(Complex a, Complex b) {
  return {a.real() * b.real() - a.imag() * b.imag(), a.real() * b.imag() + a.imag() * b.real()};
}
inline double plain_product(double a, double b) { return a * b; }

// A x = b for a square complex A that has the pattern of a MatrixSlot. Memory is allocated by the constructor; after
// that only the choice of pivots for a sparse matrix allocates.
class ComplexSolver {
 public:
  virtual ~ComplexSolver() = default;
  virtual bool factorise(const Complex* values) = 0;  // in the order of the pattern; false: singular or not finite
  virtual void solve(Complex* x) = 0;                 // b in, x out
  virtual void forget() {}                            // drops pivots chosen for earlier matrices
};

// Chooses by size and kind of the pattern: our own elimination up to 24 unknowns, else that of Eigen or KLU.
std::unique_ptr<ComplexSolver> make_complex_solver(const MatrixSlot& pattern);
}  // namespace trill
