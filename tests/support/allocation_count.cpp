// SPDX-License-Identifier: BSD-3-Clause
#include "support/allocation_count.hpp"

#include <cerrno>
#include <cstdlib>
#include <new>

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define TRILL_SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) || __has_feature(memory_sanitizer)
#define TRILL_SANITIZED 1
#endif
#endif

namespace {
thread_local std::size_t allocations = 0;
}  // namespace

#if !defined(TRILL_SANITIZED) && defined(__GLIBC__)
// operator new of the standard library calls malloc, so the malloc family alone counts everything once.
extern "C" {
void* __libc_malloc(std::size_t);
void* __libc_calloc(std::size_t, std::size_t);
void* __libc_realloc(void*, std::size_t);
void* __libc_memalign(std::size_t, std::size_t);

void* malloc(std::size_t size) {
  ++allocations;
  return __libc_malloc(size);
}
void* calloc(std::size_t count, std::size_t size) {
  ++allocations;
  return __libc_calloc(count, size);
}
void* realloc(void* old, std::size_t size) {
  ++allocations;
  return __libc_realloc(old, size);
}
void* memalign(std::size_t alignment, std::size_t size) {
  ++allocations;
  return __libc_memalign(alignment, size);
}
void* aligned_alloc(std::size_t alignment, std::size_t size) {
  ++allocations;
  return __libc_memalign(alignment, size);
}
int posix_memalign(void** place, std::size_t alignment, std::size_t size) {
  ++allocations;
  void* block = __libc_memalign(alignment, size);
  if (block == nullptr) return ENOMEM;
  *place = block;
  return 0;
}
}
#elif !defined(TRILL_SANITIZED)
void* operator new(std::size_t size) {
  ++allocations;
  if (void* block = std::malloc(size > 0 ? size : 1)) return block;
  throw std::bad_alloc();
}
void operator delete(void* block) noexcept { std::free(block); }
void operator delete(void* block, std::size_t) noexcept { std::free(block); }
#endif

namespace trill {
AllocationGuard::AllocationGuard() : start_(allocations) {}
std::size_t AllocationGuard::count() const { return allocations - start_; }

bool counts_allocations() {
#ifdef TRILL_SANITIZED
  return false;
#else
  return true;
#endif
}
}  // namespace trill
