// SPDX-License-Identifier: BSD-3-Clause
#include "support/allocation_count.hpp"

#include <cstdlib>
#include <memory>

#include <Eigen/Dense>
#include <gtest/gtest.h>

namespace {
void* volatile keep;  // so that the compiler cannot remove the allocations
}  // namespace

TEST(AllocationCount, SeesNewMallocAndEigen) {
  if (!trill::counts_allocations()) GTEST_SKIP() << "a sanitizer owns malloc";
  const trill::AllocationGuard by_new;
  const auto number = std::make_unique<double>(1.0);
  keep = number.get();
  EXPECT_EQ(by_new.count(), 1u);

  const trill::AllocationGuard by_malloc;
  void* block = std::malloc(10);
  keep = block;
  block = std::realloc(block, 1000);
  keep = block;
  std::free(block);
  block = std::calloc(10, 10);
  keep = block;
  std::free(block);
  block = std::aligned_alloc(64, 128);
  keep = block;
  std::free(block);
  EXPECT_EQ(by_malloc.count(), 4u);

  const trill::AllocationGuard by_eigen;
  Eigen::VectorXd v(100);
  keep = v.data();
  EXPECT_EQ(by_eigen.count(), 1u);
}

TEST(AllocationCount, SeesNothingWhereNothingIsAllocated) {
  Eigen::VectorXd a = Eigen::VectorXd::Ones(50), b = Eigen::VectorXd::Ones(50);
  const trill::AllocationGuard guard;
  a.noalias() += 2.0 * b;
  EXPECT_EQ(guard.count(), 0u);
  EXPECT_EQ(a[49], 3.0);
}
