// SPDX-License-Identifier: BSD-3-Clause
#include "linalg/common_kernel.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace trill {
namespace {
using testing::IsEmpty;
using testing::UnorderedElementsAre;

SpMat sparse_of(const Mat& a) { return a.sparseView(); }

TEST(CommonKernel, IsToldByItsColumns) {
  const SpMat mass = sparse_of(Vec{{1, 0, 3, 0, 0}}.asDiagonal().toDenseMatrix());
  Mat rows(2, 5);
  rows << 1, 1, 0, 0, 0, 0, 0, 1, 2, 1;
  EXPECT_THAT(common_kernel(mass, sparse_of(rows)), UnorderedElementsAre(3, 4));
  rows.conservativeResize(3, 5);
  rows.row(2) << 0, 1, 0, 1, 0;
  EXPECT_THAT(common_kernel(mass, sparse_of(rows)), IsEmpty());
  EXPECT_THAT(common_kernel(mass, SpMat(0, 5)), testing::SizeIs(1));
}

TEST(CommonKernel, OfAMatrixThatIsNotDiagonal) {
  Mat a(3, 3), row(1, 3);
  a << 1, 1, 0, 1, 1, 0, 0, 0, 2;
  row << 1, 1, 1;
  EXPECT_THAT(common_kernel(sparse_of(a), sparse_of(row)), UnorderedElementsAre(0, 1));
  row << 1, 0, 1;
  EXPECT_THAT(common_kernel(sparse_of(a), sparse_of(row)), IsEmpty());
}

// Small masses must not be taken for zero, in systems of any size.
TEST(CommonKernel, DoesNotDependOnScales) {
  for (const Index n : {3, 600}) {
    Vec mass = Vec::Constant(n, 1e-12);
    mass[1] = 0;
    SpMat rows(n / 2, n);
    for (Index i = 0; i < n / 2; ++i) rows.insert(i, i + 1) = rows.insert(i, i) = 1e6;
    EXPECT_THAT(common_kernel(SpMat(mass.asDiagonal()), rows), IsEmpty()) << n;
    mass[n - 1] = 0;
    EXPECT_THAT(common_kernel(SpMat(mass.asDiagonal()), rows), UnorderedElementsAre(n - 1)) << n;
  }
}
}  // namespace
}  // namespace trill
