// SPDX-License-Identifier: BSD-3-Clause
#include "formulation/saddle_pattern.hpp"

#include <vector>

namespace trill {
namespace {
constexpr Index dense_saddle_up_to = 24;

template <class Use>
void each_entry(const MatrixSlot& a, Use use) {
  for (Index j = 0; j < a.cols(); ++j) {
    if (a.is_sparse()) {
      for (SpMat::InnerIterator it(a.as_sparse(), j); it; ++it) use(it.row(), j);
    } else {
      for (Index i = 0; i < a.rows(); ++i) use(i, j);
    }
  }
}
}  // namespace

MatrixSlot saddle_pattern(const MatrixSlot& a, const MatrixSlot& G, Index diagonal) {
  const Index n = a.rows(), m = G.rows();
  const bool is_sparse = a.is_sparse() && (m == 0 || G.is_sparse());
  if (n + m <= dense_saddle_up_to || !is_sparse) return MatrixSlot::dense(n + m, n + m);
  std::vector<Eigen::Triplet<double>> entries;
  each_entry(a, [&](Index i, Index j) { entries.emplace_back(i, j, 1.0); });
  each_entry(G, [&](Index i, Index j) {
    entries.emplace_back(n + i, j, 1.0);
    entries.emplace_back(j, n + i, 1.0);
  });
  for (Index i = 0; i < diagonal; ++i) entries.emplace_back(n + i, n + i, 1.0);
  SpMat pattern(n + m, n + m);
  pattern.setFromTriplets(entries.begin(), entries.end());
  return MatrixSlot::sparse(std::move(pattern));
}
}  // namespace trill
