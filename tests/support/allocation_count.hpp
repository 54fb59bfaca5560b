// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>

namespace trill {
// Heap allocations of this thread since construction: `AllocationGuard g; ...; EXPECT_EQ(g.count(), 0u);`. It sees
// operator new and, with glibc, the malloc family that Eigen and C libraries call. Sanitizers bring their own malloc:
// there nothing is counted and counts_allocations() says so.
class AllocationGuard {
 public:
  AllocationGuard();
  std::size_t count() const;

 private:
  std::size_t start_;
};

bool counts_allocations();
}  // namespace trill
