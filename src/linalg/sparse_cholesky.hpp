// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "trill/base/types.hpp"

#include <memory>
#include <string>
#include <vector>

namespace trill {
class SparseFactors;

// What factorises. simplicial: Eigen, column by column; always there, and quickest where columns are short. mumps and
// cholmod work on dense blocks of columns, which is many times quicker for large plates and solids.
enum class FactorEngine { simplicial, mumps, cholmod };
std::vector<FactorEngine> factor_engines();  // those of this program on this machine
const char* name_of(FactorEngine engine);
std::string factor_engines_text();  // "eigen, mumps 5.5.1"

// A = L D L^T of a symmetric sparse A. Eigen's class is hidden because it takes long to compile.
class SparseCholesky {
 public:
  explicit SparseCholesky(const SpMat& a);  // by the engine that suits best
  SparseCholesky(const SpMat& a, FactorEngine engine);
  ~SparseCholesky();
  SparseCholesky(const SparseCholesky&) = delete;
  SparseCholesky& operator=(const SparseCholesky&) = delete;

  bool succeeded() const;  // no pivot was zero
  bool is_positive_definite() const;
  // There are as many negative eigenvalues (Sylvester's law of inertia).
  Index negative_pivots() const;
  // A pivot is so small that only rounding made it: A is singular, or nearly.
  bool has_rounded_pivot() const;
  FactorEngine engine() const { return engine_; }
  double bytes() const;           // that the factors take
  Mat solve(const Mat& b) const;  // several right-hand sides at once take less time each
  Vec solve(const Vec& b) const;

 private:
  FactorEngine engine_;
  std::unique_ptr<SparseFactors> factors_;
};
}  // namespace trill
