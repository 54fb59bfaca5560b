// SPDX-License-Identifier: BSD-3-Clause
// For authors of implicit methods: factorise and solve, for dense and sparse matrices alike.
#pragma once

#include "trill/linalg/matrix_slot.hpp"

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace trill {
// A x = b for square A: factorise once, solve many times. Memory is allocated when the solver is made for a pattern.
// After that small_lu and dense_lu do not allocate, klu allocates only when it has to choose a new pivot order, and
// sparse_lu allocates in every factorisation.
class LinearSolver {
 public:
  virtual ~LinearSolver() = default;
  virtual std::string name() const = 0;
  virtual Index size() const = 0;
  virtual void analyse(const MatrixSlot& pattern) = 0;      // allocates; once per pattern
  virtual bool factorise(const MatrixSlot& a) = 0;          // false: numerically singular or not finite
  virtual void solve(In b, Out x) = 0;                      // after factorise returned true; b and x may be the same
  virtual std::unique_ptr<LinearSolver> clone() const = 0;  // includes the factors: gives bit-identical solutions
};

// Chooses by size and kind of the pattern: small_lu up to 24 unknowns, else dense_lu or klu (sparse_lu if trill was
// built without SuiteSparse).
std::unique_ptr<LinearSolver> make_linear_solver(const MatrixSlot& pattern);

// Chooses by name. Unknown names and solvers that do not fit the pattern throw std::invalid_argument.
std::unique_ptr<LinearSolver> make_linear_solver(std::string_view name, const MatrixSlot& pattern);
std::vector<std::string> linear_solver_names();  // the solvers available in this build
}  // namespace trill
