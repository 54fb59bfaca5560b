// SPDX-License-Identifier: BSD-3-Clause
// For authors of implicit methods: factorise and solve, whatever the kind of the matrix.
#pragma once

#include "trill/linalg/matrix_slot.hpp"

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace trill {
// A x = b for square A: factorise once, solve many times. Memory is taken when the solver is made for a pattern;
// afterwards small_lu and dense_lu allocate nothing, klu only when its pivot order has to be chosen anew, and
// sparse_lu in every factorisation.
class LinearSolver {
 public:
  virtual ~LinearSolver() = default;
  virtual std::string name() const = 0;
  virtual Index size() const = 0;
  virtual void analyse(const MatrixSlot& pattern) = 0;      // allocates; once per pattern
  virtual bool factorise(const MatrixSlot& a) = 0;          // false: numerically singular or not finite
  virtual void solve(In b, Out x) = 0;                      // after a true factorise; b and x may be the same
  virtual std::unique_ptr<LinearSolver> clone() const = 0;  // with its factors: solves to the same bits
};

// By size and kind of the pattern: small_lu up to 24 unknowns, else dense_lu or klu (sparse_lu without SuiteSparse).
std::unique_ptr<LinearSolver> make_linear_solver(const MatrixSlot& pattern);

// By name. Unknown names and solvers that do not fit the pattern throw std::invalid_argument.
std::unique_ptr<LinearSolver> make_linear_solver(std::string_view name, const MatrixSlot& pattern);
std::vector<std::string> linear_solver_names();  // those of this build
}  // namespace trill
