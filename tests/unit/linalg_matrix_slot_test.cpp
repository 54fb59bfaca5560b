// SPDX-License-Identifier: BSD-3-Clause
#include "support/allocation_count.hpp"
#include "trill/linalg/matrix_slot.hpp"

#include <random>
#include <stdexcept>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace trill {
namespace {
SpMat pattern_of(Index rows, Index cols, const std::vector<std::pair<int, int>>& entries) {
  std::vector<Eigen::Triplet<double>> triplets;
  for (const auto& [i, j] : entries) triplets.emplace_back(i, j, 1.0);
  SpMat a(rows, cols);
  a.setFromTriplets(triplets.begin(), triplets.end());
  return a;
}

MatrixSlot random_sparse(Index rows, Index cols, unsigned seed) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> number(-1, 1);
  std::vector<std::pair<int, int>> entries;
  for (int i = 0; i < rows; ++i)
    for (int j = 0; j < cols; ++j)
      if (number(random) > 0.4) entries.emplace_back(i, j);
  MatrixSlot slot = MatrixSlot::sparse(pattern_of(rows, cols, entries));
  for (Index k = 0; k < slot.stored(); ++k) slot.values()[k] = number(random);
  return slot;
}

Mat written_out(const MatrixSlot& a) { return a.is_sparse() ? Mat(a.as_sparse()) : a.as_dense(); }

template <class F>
std::string message_of(F&& f) {
  try {
    f();
  } catch (const std::logic_error& error) {
    return error.what();
  }
  return "";
}
}  // namespace

TEST(MatrixSlot, DenseAccumulatesAndClears) {
  MatrixSlot a = MatrixSlot::dense(2, 3);
  EXPECT_FALSE(a.is_sparse());
  EXPECT_EQ(a.rows(), 2);
  EXPECT_EQ(a.cols(), 3);
  EXPECT_EQ(written_out(a), Mat::Zero(2, 3));
  a.add(1, 2, 4.0);
  a.add(1, 2, 0.5);
  EXPECT_EQ(a.value(1, 2), 4.5);
  EXPECT_EQ(a.as_dense()(1, 2), 4.5);
  a.set_zero();
  EXPECT_EQ(written_out(a), Mat::Zero(2, 3));
}

TEST(MatrixSlot, SparseKeepsItsPatternWhenCleared) {
  MatrixSlot a = MatrixSlot::sparse(pattern_of(3, 3, {{0, 0}, {2, 0}, {1, 1}, {2, 2}}));
  EXPECT_EQ(a.stored(), 4);
  EXPECT_EQ(written_out(a), Mat::Zero(3, 3)) << "values of the given pattern must not stay";
  double* place = a.entry(2, 0);
  a.add(2, 0, 3.0);
  a.add(2, 0, 1.0);
  EXPECT_EQ(*place, 4.0);
  EXPECT_EQ(a.value(2, 0), 4.0);
  EXPECT_EQ(a.value(0, 2), 0.0);
  a.set_zero();
  EXPECT_EQ(a.stored(), 4);
  EXPECT_EQ(a.entry(2, 0), place);
  EXPECT_EQ(*place, 0.0);
}

TEST(MatrixSlot, EntryOutsideThePatternThrowsAndNamesBothIndices) {
  MatrixSlot sparse = MatrixSlot::sparse(pattern_of(40, 40, {{0, 0}, {39, 0}, {1, 37}}));
  MatrixSlot dense = MatrixSlot::dense(2, 2);
  EXPECT_NE(message_of([&] { sparse.add(17, 0, 1.0); }).find("(17, 0)"), std::string::npos);
  EXPECT_NE(message_of([&] { sparse.entry(3, 37); }).find("(3, 37)"), std::string::npos);
  EXPECT_NE(message_of([&] { sparse.entry(0, 40); }).find("(0, 40)"), std::string::npos);
  EXPECT_NE(message_of([&] { sparse.entry(-1, 0); }).find("(-1, 0)"), std::string::npos);
  EXPECT_NE(message_of([&] { dense.entry(2, 0); }).find("(2, 0)"), std::string::npos);
  EXPECT_NE(message_of([&] { dense.entry(0, -1); }).find("(0, -1)"), std::string::npos);
  EXPECT_EQ(sparse.stored(), 3) << "a refused entry must not grow the pattern";
}

TEST(MatrixSlot, UnsortedPatternIsSorted) {
  SpMat a(3, 1);
  a.resizeNonZeros(2);
  a.outerIndexPtr()[0] = 0;
  a.outerIndexPtr()[1] = 2;
  a.innerIndexPtr()[0] = 2;
  a.innerIndexPtr()[1] = 0;
  MatrixSlot slot = MatrixSlot::sparse(a);
  slot.add(0, 0, 1.0);
  slot.add(2, 0, 2.0);
  EXPECT_EQ(slot.value(0, 0), 1.0);
  EXPECT_EQ(slot.value(2, 0), 2.0);
}

TEST(MatrixSlot, MultipliesLikeTheFullMatrix) {
  for (const bool sparse : {true, false}) {
    MatrixSlot a = random_sparse(7, 5, 3);
    const Mat full = written_out(a);
    if (!sparse) {
      a = MatrixSlot::dense(7, 5);
      for (Index j = 0; j < 5; ++j)
        for (Index i = 0; i < 7; ++i) a.add(i, j, full(i, j));
    }
    const Vec x = Vec::LinSpaced(5, -1, 2), z = Vec::LinSpaced(7, 1, 3);
    Vec y = Vec::Constant(7, 99.0), w = Vec::Constant(5, 99.0);
    a.multiply(x, y);
    a.multiply_transposed(z, w);
    EXPECT_LT((y - full * x).norm(), 1e-14);
    EXPECT_LT((w - full.transpose() * z).norm(), 1e-14);
  }
}

TEST(MatrixSlot, AssignValuesNeedsTheSamePattern) {
  const MatrixSlot a = random_sparse(6, 6, 1);
  MatrixSlot b = a;
  b.set_zero();
  b.assign_values(a);
  EXPECT_EQ(written_out(b), written_out(a));
  MatrixSlot other = random_sparse(6, 6, 2);
  EXPECT_THROW(other.assign_values(a), std::logic_error);
  MatrixSlot dense = MatrixSlot::dense(6, 6);
  EXPECT_THROW(dense.assign_values(a), std::logic_error);
}

TEST(MatrixSlot, UnionHoldsBothAndScaleAddSumsThem) {
  const MatrixSlot a = random_sparse(8, 8, 5), b = random_sparse(8, 8, 6);
  MatrixSlot both = union_pattern(a, b);
  const Mat expected = 2.0 * written_out(a) - 0.5 * written_out(b);
  both.scale_add(2.0, a);
  both.scale_add(-0.5, b);
  EXPECT_LT((written_out(both) - expected).norm(), 1e-14);

  const SlotMap places_a(both, a), places_b(both, b);
  both.set_zero();
  both.scale_add(2.0, a, places_a);
  both.scale_add(-0.5, b, places_b);
  EXPECT_LT((written_out(both) - expected).norm(), 1e-14);

  both.scale(3.0);
  EXPECT_LT((written_out(both) - 3.0 * expected).norm(), 1e-13);
  MatrixSlot narrow = a;
  EXPECT_THROW(narrow.scale_add(1.0, b), std::logic_error);
  EXPECT_FALSE(union_pattern(a, MatrixSlot::dense(8, 8)).is_sparse());
}

TEST(MatrixSlot, DenseTakesSparseAndDense) {
  const MatrixSlot a = random_sparse(4, 4, 7);
  MatrixSlot dense = MatrixSlot::dense(4, 4);
  dense.scale_add(2.0, a);
  dense.scale_add(1.0, dense);
  EXPECT_LT((written_out(dense) - 4.0 * written_out(a)).norm(), 1e-14);
}

TEST(MatrixSlot, SlotMapPlacesABlock) {
  MatrixSlot block = MatrixSlot::dense(2, 2);
  block.add(0, 0, 1.0);
  block.add(1, 0, 2.0);
  block.add(0, 1, 3.0);
  block.add(1, 1, 4.0);
  MatrixSlot whole = MatrixSlot::sparse(pattern_of(5, 5, {{3, 1}, {4, 1}, {3, 2}, {4, 2}, {0, 0}}));
  whole.scale_add(10.0, block, SlotMap(whole, block, 3, 1));
  EXPECT_EQ(whole.value(3, 1), 10.0);
  EXPECT_EQ(whole.value(4, 1), 20.0);
  EXPECT_EQ(whole.value(3, 2), 30.0);
  EXPECT_EQ(whole.value(4, 2), 40.0);
  EXPECT_EQ(whole.value(0, 0), 0.0);
  EXPECT_THROW(SlotMap(whole, block, 0, 0), std::logic_error);
  EXPECT_THROW(whole.scale_add(1.0, whole, SlotMap(whole, block, 3, 1)), std::logic_error);
}

TEST(MatrixSlot, WorksWithoutAllocation) {
  const MatrixSlot a = random_sparse(30, 30, 11), b = random_sparse(30, 30, 12);
  MatrixSlot sum = union_pattern(a, b), copy = a, dense = MatrixSlot::dense(30, 30);
  const SlotMap places(sum, b);
  const Vec x = Vec::Ones(30);
  Vec y(30);
  const AllocationGuard guard;
  sum.set_zero();
  sum.scale_add(2.0, a);
  sum.scale_add(2.0, b, places);
  dense.scale_add(1.0, a);
  copy.assign_values(a);
  sum.multiply(x, y);
  sum.multiply_transposed(x, y);
  dense.multiply(x, y);
  dense.multiply_transposed(x, y);
  EXPECT_EQ(guard.count(), 0u);
}
}  // namespace trill
