// SPDX-License-Identifier: BSD-3-Clause
#include "linalg/common_kernel.hpp"

#include "linalg/row_rank.hpp"
#include "linalg/sparse_cholesky.hpp"

#include <algorithm>
#include <cmath>

namespace trill {
namespace {
constexpr double dependent = 1e-10;

Vec inverse(const Vec& sizes) {
  return sizes.unaryExpr([](double s) { return std::isnormal(s) ? 1 / s : 1.0; });
}
}  // namespace

SpMat sparse_copy(const MatrixSlot& a) { return a.is_sparse() ? a.as_sparse() : SpMat(a.as_dense().sparseView()); }

bool is_positive_definite(const SpMat& a) { return SparseCholesky(a).is_positive_definite(); }

bool is_nearly_positive(const SpMat& a, double rounding) {
  SpMat raised = a;
  for (Index i = 0; i < a.rows(); ++i) raised.coeffRef(i, i) += rounding * (a.coeff(i, i) + 1);
  return is_positive_definite(raised);
}

// Rows of both are scaled to size 1, so that small entries of A count as much as large ones. This does not change the
// kernels.
std::vector<Index> common_kernel(const SpMat& a, const SpMat& b) {
  if (is_positive_definite(a)) return {};
  const Vec a_scale = inverse(a.diagonal()), b_scale = inverse((b.cwiseAbs2() * Vec::Ones(b.cols())).cwiseSqrt());
  std::vector<Eigen::Triplet<double>> entries;
  for (Index j = 0; j < a.cols(); ++j) {
    for (SpMat::InnerIterator it(a, j); it; ++it) entries.emplace_back(j, it.row(), it.value() * a_scale[it.row()]);
    for (SpMat::InnerIterator it(b, j); it; ++it)
      entries.emplace_back(j, a.rows() + it.row(), it.value() * b_scale[it.row()]);
  }
  SpMat both(a.cols(), a.rows() + b.rows());
  both.setFromTriplets(entries.begin(), entries.end());
  MatrixSlot slot = MatrixSlot::sparse(both);
  std::copy_n(both.valuePtr(), both.nonZeros(), slot.values());
  const std::vector<DependentRow> found = dependent_rows(slot, dependent, 1);
  if (found.empty()) return {};
  std::vector<Index> columns{found[0].row};
  columns.insert(columns.end(), found[0].of.begin(), found[0].of.end());
  return columns;
}
}  // namespace trill
