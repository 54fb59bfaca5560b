// SPDX-License-Identifier: BSD-3-Clause
#include "linalg/row_products.hpp"

namespace trill {
RowProducts::RowProducts(const MatrixSlot& factors) {
  const SpMat& A = factors.as_sparse();
  std::vector<Eigen::Triplet<double>> entries;
  for (Index j = 0; j < A.cols(); ++j)
    for (SpMat::InnerIterator a(A, j); a; ++a)
      for (SpMat::InnerIterator b(A, j); b; ++b) entries.emplace_back(a.row(), b.row(), 1.0);
  SpMat pattern(A.rows(), A.rows());
  pattern.setFromTriplets(entries.begin(), entries.end());
  pattern_ = MatrixSlot::sparse(std::move(pattern));
  places_.reserve(entries.size());
  for (const auto& e : entries) places_.push_back(pattern_.entry(e.row(), e.col()) - pattern_.values());
}

void RowProducts::form(const MatrixSlot& A, In d, const MatrixSlot& B, MatrixSlot& S) const {
  S.set_zero();
  double* s = S.values();
  const Index* place = places_.data();
  for (Index j = 0; j < A.cols(); ++j)
    for (SpMat::InnerIterator a(A.as_sparse(), j); a; ++a) {
      const double weighted = a.value() * d[j];
      for (SpMat::InnerIterator b(B.as_sparse(), j); b; ++b) s[*place++] += weighted * b.value();
    }
}
}  // namespace trill
