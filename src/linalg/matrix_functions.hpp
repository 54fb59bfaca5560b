// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "linalg/small_blocks.hpp"

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace trill {
// f(x) = f(-x), like cos(x) and sin(x)/x: then f(h sqrt(K)) is a smooth function of K.
using EvenFunction = std::function<double(double x)>;
using FunctionFamily = std::vector<EvenFunction>;  // all functions to be applied to one vector
using FunctionFamilies = std::vector<FunctionFamily>;

// K = M^-1 S. Its eigenvalues must be real and not negative; zero is allowed. M is symmetric and positive definite.
struct Pencil {
  const MatrixSlot& stiffness;
  const MatrixSlot& mass;
};

// Functions of h sqrt(K) times vectors. All functions of a family are computed from one basis built from the vector.
class MatrixFunctions {
 public:
  virtual ~MatrixFunctions() = default;
  virtual std::string name() const = 0;
  // The largest sqrt of an eigenvalue and its eigenvector, |mode| = 1; only estimated by a trial if the matrices are
  // large.
  virtual double fastest() const = 0;
  virtual const Vec& fastest_mode() const = 0;
  virtual void prepare(double h) = 0;  // before the first use and whenever h changes; allocates if |h| grows
  // Column j is function j of the family times x; valid until the family is applied again. nullptr: no convergence.
  virtual const Mat* apply(std::size_t family, In x) = 0;
  // Where single functions need no basis: one function times x, and (q, v + kick a) moved by the motion q'' = -K q in
  // the time h; false: the result is not finite.
  virtual bool needs_no_basis() const { return false; }
  virtual void apply_one(std::size_t /*family*/, std::size_t /*function*/, In /*x*/, Out /*y*/) {}
  virtual bool turn(double /*kick*/, In /*a*/, Out /*q*/, Out /*v*/) { return false; }
  virtual long products() const = 0;  // number of products with K so far
};

// By the eigenvectors of K, computed once. A pencil that violates the conditions above is a UsageError with the reason.
std::unique_ptr<MatrixFunctions> dense_functions(const Pencil& pencil, FunctionFamilies families);
// The same for each of these blocks, which must not be coupled: the work is that of a few vectors.
std::unique_ptr<MatrixFunctions> block_functions(const Pencil& pencil, std::vector<UnknownBlock> blocks,
                                                 FunctionFamilies families);
// By the Lanczos iteration in the inner product of M, for symmetric S. The number of products depends on x and the
// tolerance.
std::unique_ptr<MatrixFunctions> lanczos_functions(const Pencil& pencil, FunctionFamilies families, double tolerance);
// By Chebyshev polynomials up to a bound of the spectrum (Gershgorin); needs a diagonally dominant mass. The number of
// products depends only on h sqrt(bound) and the tolerance.
std::unique_ptr<MatrixFunctions> chebyshev_functions(const Pencil& pencil, FunctionFamilies families, double tolerance);

// Blocks if all are small, dense if that is cheap, Chebyshev polynomials for a diagonal mass or a stiffness that is not
// symmetric, else Lanczos.
std::unique_ptr<MatrixFunctions> make_matrix_functions(const Pencil& pencil, FunctionFamilies families,
                                                       double tolerance);
}  // namespace trill
