// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "trill/linalg/matrix_slot.hpp"

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace trill {
// f(x) = f(-x), as cos(x) and sin(x)/x: then f(h sqrt(K)) is a smooth function of K.
using EvenFunction = std::function<double(double x)>;
using FunctionFamily = std::vector<EvenFunction>;  // all that is wanted of one vector
using FunctionFamilies = std::vector<FunctionFamily>;

// K = M^-1 S. Its eigenvalues have to be real and not negative; zero is not special. M is symmetric and positive
// definite.
struct Pencil {
  const MatrixSlot& stiffness;
  const MatrixSlot& mass;
};

// Functions of h sqrt(K) times vectors. One basis made from a vector gives all functions of its family.
class MatrixFunctions {
 public:
  virtual ~MatrixFunctions() = default;
  virtual std::string name() const = 0;
  // The largest sqrt of an eigenvalue with its eigenvector, |mode| = 1; of large pencils as good as a trial finds them.
  virtual double fastest() const = 0;
  virtual const Vec& fastest_mode() const = 0;
  virtual void prepare(double h) = 0;  // before the first use and when h changes; allocates when |h| grows
  // Column j is function j of the family times x, until the family is applied again. nullptr: it did not converge.
  virtual const Mat* apply(std::size_t family, In x) = 0;
  virtual long products() const = 0;  // with K, up to now
};

// By the eigenvectors of K, found once. A pencil that is not as said above: UsageError that says what is wrong.
std::unique_ptr<MatrixFunctions> dense_functions(const Pencil& pencil, FunctionFamilies families);
// By Lanczos' iteration in the inner product of M, for symmetric S; as many products as x and the tolerance need.
std::unique_ptr<MatrixFunctions> lanczos_functions(const Pencil& pencil, FunctionFamilies families, double tolerance);
// By Chebyshev polynomials up to a bound of the spectrum (Gershgorin); needs a mass whose inverse is bounded row by
// row. The number of products depends on h sqrt(bound) alone.
std::unique_ptr<MatrixFunctions> chebyshev_functions(const Pencil& pencil, FunctionFamilies families, double tolerance);

// Dense while that is cheap, Chebyshev polynomials for a diagonal mass, else Lanczos.
std::unique_ptr<MatrixFunctions> make_matrix_functions(const Pencil& pencil, FunctionFamilies families,
                                                       double tolerance);
}  // namespace trill
