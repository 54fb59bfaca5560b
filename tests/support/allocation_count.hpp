// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>

namespace trill {
// Counts the heap allocations of this thread since its construction: `AllocationGuard g; ...; EXPECT_EQ(g.count(),
// 0u);`. It sees operator new and, with glibc, the malloc family, which Eigen and C libraries call. Sanitizers have
// their own malloc; with them nothing is counted, and counts_allocations() is false.
class AllocationGuard {
 public:
  AllocationGuard();
  std::size_t count() const;
  std::size_t bytes() const;  // allocated since then, whether freed or not

 private:
  std::size_t start_, start_bytes_;
};

bool counts_allocations();

// The memory that a piece of work allocates. It shows how the work grows with its input, on any machine, busy or not.
// It is zero with sanitizers.
template <class Work>
double heap_bytes(const Work& work) {
  const AllocationGuard guard;
  work();
  return counts_allocations() ? static_cast<double>(guard.bytes()) : 0;
}
}  // namespace trill
