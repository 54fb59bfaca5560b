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
  std::size_t bytes() const;  // asked for since then, whether given back or not

 private:
  std::size_t start_, start_bytes_;
};

bool counts_allocations();

// What a piece of work asks of the heap, which tells its growth with its input on any machine, busy or not. Zero under
// sanitizers.
template <class Work>
double heap_bytes(const Work& work) {
  const AllocationGuard guard;
  work();
  return counts_allocations() ? static_cast<double>(guard.bytes()) : 0;
}
}  // namespace trill
