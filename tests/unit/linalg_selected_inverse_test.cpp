// SPDX-License-Identifier: BSD-3-Clause
#include "linalg/selected_inverse.hpp"

#include <cmath>
#include <random>

#include <Eigen/Dense>
#include <gtest/gtest.h>

namespace trill {
namespace {
// A graph Laplacian with a random diagonal: symmetric positive definite, with the pattern of the graph.
SpMat of_graph(Index n, const std::vector<std::pair<Index, Index>>& edges) {
  std::mt19937 random(7);
  std::uniform_real_distribution<double> some(0.1, 1);
  std::vector<Eigen::Triplet<double>> entries;
  for (Index i = 0; i < n; ++i) entries.emplace_back(i, i, some(random));
  for (const auto& [i, j] : edges) {
    const double k = some(random);
    entries.emplace_back(i, i, k);
    entries.emplace_back(j, j, k);
    entries.emplace_back(i, j, -k);
    entries.emplace_back(j, i, -k);
  }
  SpMat a(n, n);
  a.setFromTriplets(entries.begin(), entries.end());
  return a;
}

void expect_inverse(const MatrixSlot& a, const Mat& full) {
  SelectedInverse selected(a);
  ASSERT_TRUE(selected.factorise(a));
  const Mat exact = full.inverse();
  MatrixSlot found = a;
  selected.fill(found);
  for (Index j = 0; j < a.cols(); ++j)
    for (Index i = 0; i < a.rows(); ++i)
      if (full(i, j) != 0) {
        EXPECT_NEAR(found.value(i, j), exact(i, j), 1e-12 * exact.cwiseAbs().maxCoeff());
      }
  EXPECT_NEAR(selected.log_determinant(), std::log(full.determinant()), 1e-10);
}

MatrixSlot slot_of(const SpMat& a) {
  MatrixSlot slot = MatrixSlot::sparse(a);
  std::copy_n(a.valuePtr(), a.nonZeros(), slot.values());
  return slot;
}

TEST(SelectedInverse, OfBandsRingsAndNets) {
  std::vector<std::pair<Index, Index>> chain, wide, ring, net;
  for (Index i = 0; i + 1 < 12; ++i) chain.emplace_back(i, i + 1);
  for (Index d = 1; d <= 4; ++d)
    for (Index i = 0; i + d < 15; ++i) wide.emplace_back(i, i + d);
  ring = chain;
  ring.emplace_back(0, 11);
  for (Index i = 0; i < 4; ++i)
    for (Index j = 0; j < 4; ++j) {
      if (i < 3) net.emplace_back(4 * i + j, 4 * i + j + 4);
      if (j < 3) net.emplace_back(4 * i + j, 4 * i + j + 1);
    }
  for (const auto& [n, edges] : {std::pair(Index{12}, chain), std::pair(Index{15}, wide), std::pair(Index{12}, ring),
                                 std::pair(Index{16}, net), std::pair(Index{3}, decltype(net){})}) {
    const SpMat a = of_graph(n, edges);
    expect_inverse(slot_of(a), Mat(a));
  }
}

TEST(SelectedInverse, OfADenseMatrix) {
  const Mat root = Mat::Random(6, 6);
  const Mat a = root * root.transpose() + Mat::Identity(6, 6);
  MatrixSlot slot = MatrixSlot::dense(6, 6);
  std::copy_n(a.data(), a.size(), slot.values());
  expect_inverse(slot, a);
}

TEST(SelectedInverse, RefusesWhatIsNotPositiveDefinite) {
  MatrixSlot slot = MatrixSlot::dense(2, 2);
  const double values[] = {1, 2, 2, 1};
  std::copy_n(values, 4, slot.values());
  SelectedInverse selected(slot);
  EXPECT_FALSE(selected.factorise(slot));
}
}  // namespace
}  // namespace trill
