// SPDX-License-Identifier: BSD-3-Clause
#include "linalg/saddle_pattern.hpp"

#include "linalg/stored_entries.hpp"

#include <vector>

namespace trill {
namespace {
constexpr Index largest_dense_saddle = 24;
}  // namespace

bool has_sparse_saddle(const MatrixSlot& a, const MatrixSlot& G) {
  return a.rows() + G.rows() > largest_dense_saddle && a.is_sparse() && (G.rows() == 0 || G.is_sparse());
}

MatrixSlot saddle_pattern(const MatrixSlot& a, const MatrixSlot& G, Index diagonal) {
  const Index n = a.rows(), m = G.rows();
  if (!has_sparse_saddle(a, G)) return MatrixSlot::dense(n + m, n + m);
  std::vector<Eigen::Triplet<double>> entries;
  each_stored(a, [&](Index i, Index j, Index) { entries.emplace_back(i, j, 1.0); });
  each_stored(G, [&](Index i, Index j, Index) {
    entries.emplace_back(n + i, j, 1.0);
    entries.emplace_back(j, n + i, 1.0);
  });
  for (Index i = 0; i < diagonal; ++i) entries.emplace_back(n + i, n + i, 1.0);
  SpMat pattern(n + m, n + m);
  pattern.setFromTriplets(entries.begin(), entries.end());
  return MatrixSlot::sparse(std::move(pattern));
}
}  // namespace trill
