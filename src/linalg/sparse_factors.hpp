// SPDX-License-Identifier: BSD-3-Clause
// What stands behind SparseCholesky: the engines that factorise symmetric sparse matrices.
#pragma once

#include "trill/base/types.hpp"

#include <memory>
#include <string>

namespace trill {
// Pivots below this share of the diagonal entry that they were formed from are rounding.
inline constexpr double rounded_pivot = 1e-13;

// A = L D L^T
class SparseFactors {
 public:
  virtual ~SparseFactors() = default;
  virtual bool succeeded() const = 0;
  virtual Index negative_pivots() const = 0;
  virtual bool has_rounded_pivot() const = 0;
  virtual double bytes() const = 0;
  virtual void solve(Mat& x) const = 0;  // x becomes A^-1 x
};

// Eigen's, and how much work it is: operations for each entry of L.
std::unique_ptr<SparseFactors> simplicial_factors(const SpMat& a);
double operations_per_entry(const SpMat& a);

// Those of other libraries. Null where the library is absent.
std::unique_ptr<SparseFactors> mumps_factors(const SpMat& a);
std::unique_ptr<SparseFactors> cholmod_factors(const SpMat& a);
std::string mumps_version();  // empty where it is absent
std::string cholmod_release();
}  // namespace trill
