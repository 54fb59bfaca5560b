// SPDX-License-Identifier: BSD-3-Clause
#include "linalg/row_rank.hpp"

#include <cmath>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace trill {
namespace {
using testing::ElementsAre;
using testing::UnorderedElementsAre;

MatrixSlot slot_of(const Mat& a) {
  MatrixSlot slot = MatrixSlot::dense(a.rows(), a.cols());
  Eigen::Map<Mat>(slot.values(), a.rows(), a.cols()) = a;
  return slot;
}

TEST(RowRank, IndependentRowsAreNotBlamedForTheirScale) {
  Mat a(3, 4);
  a << 1, 2, 0, 0, 1e-9, 0, 1e-9, 0, 0, 1e8, 0, 1e8;
  EXPECT_TRUE(dependent_rows(slot_of(a), 1e-10).empty());
  EXPECT_TRUE(dependent_rows(MatrixSlot::dense(0, 4), 1e-10).empty());
}

TEST(RowRank, TheLastRowsOfEachCombinationAreTold) {
  Mat a(5, 4);
  a << 1, 2, 0, 0, 0, 1, 1, 0, 2, 5, 1, 0, 0, 0, 0, 1, 0, 0, 0, -3;
  const auto found = dependent_rows(slot_of(a), 1e-10);
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(found[0].row, 2);
  EXPECT_THAT(found[0].of, UnorderedElementsAre(0, 1));
  EXPECT_EQ(found[1].row, 4);
  EXPECT_THAT(found[1].of, ElementsAre(3));
}

TEST(RowRank, MoreRowsThanColumnsAndRowsOfZeros) {
  Mat a(3, 1);
  a << 1, 0, 2;
  const auto found = dependent_rows(slot_of(a), 1e-10);
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(found[0].row, 1);
  EXPECT_TRUE(found[0].of.empty());
  EXPECT_EQ(found[1].row, 2);
  EXPECT_THAT(found[1].of, ElementsAre(0));
}

TEST(RowRank, NearlyDependentRowsCountByTheTolerance) {
  Mat a(2, 2);
  a << 1, 0, 1, 1e-5;
  EXPECT_TRUE(dependent_rows(slot_of(a), 1e-6).empty());
  EXPECT_EQ(dependent_rows(slot_of(a), 1e-4).size(), 1u);
}

// Rows with coefficients as small as the tolerance are not named among those on which a row depends.
TEST(RowRank, NearlyDependentRowsAreToldWithoutSmallParts) {
  Mat a(3, 4);
  a << 1, 0, 0, 0, 0, 1, 0, 0, 1, 0.01, 0.01, 0;
  const auto found = dependent_rows(slot_of(a), 0.1);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].row, 2);
  EXPECT_THAT(found[0].of, ElementsAre(0));
}

// A chain of bars with a pin at each end. Each joint has two rows; with `twice` the last joint is there twice.
MatrixSlot chain(Index links, bool twice) {
  std::vector<Eigen::Triplet<double>> entries;
  Index row = 0;
  const auto pin = [&](Index body, double sign, double end) {
    const double angle = std::sin(1.3 * static_cast<double>(body));
    entries.emplace_back(row, 3 * body, sign);
    entries.emplace_back(row, 3 * body + 2, -sign * end * std::sin(angle));
    entries.emplace_back(row + 1, 3 * body + 1, sign);
    entries.emplace_back(row + 1, 3 * body + 2, sign * end * std::cos(angle));
  };
  for (Index body = 0; body < links; ++body) {
    if (body > 0) pin(body - 1, -1, 0.5);
    pin(body, 1, -0.5);
    row += 2;
  }
  for (int k = 0; k < (twice ? 2 : 1); ++k) {
    pin(links - 1, 1, 0.5);
    row += 2;
  }
  SpMat a(row, 3 * links);
  a.setFromTriplets(entries.begin(), entries.end());
  MatrixSlot slot = MatrixSlot::sparse(a);
  for (const auto& e : entries) slot.add(e.row(), e.col(), e.value());
  return slot;
}

TEST(RowRank, LongChainsAreCheckedSparsely) {
  const Index links = 400;
  EXPECT_TRUE(dependent_rows(chain(links, false), 1e-10).empty());
  const auto found = dependent_rows(chain(links, true), 1e-10);
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(found[0].row, 2 * links + 2);
  EXPECT_THAT(found[0].of, ElementsAre(2 * links));
  EXPECT_EQ(found[1].row, 2 * links + 3);
  EXPECT_THAT(found[1].of, ElementsAre(2 * links + 1));
}
}  // namespace
}  // namespace trill
