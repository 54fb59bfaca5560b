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
thread_local std::size_t allocations = 0, allocated_bytes = 0;

[[maybe_unused]] void count(std::size_t bytes) {
  ++allocations;
  allocated_bytes += bytes;
}
}  // namespace

#if !defined(TRILL_SANITIZED) && defined(__GLIBC__)
// operator new of the standard library calls malloc. So it is enough to count calls of the malloc family, each only
// once.
extern "C" {
void* __libc_malloc(std::size_t);
void* __libc_calloc(std::size_t, std::size_t);
void* __libc_realloc(void*, std::size_t);
void* __libc_memalign(std::size_t, std::size_t);

void* malloc(std::size_t size) {
  count(size);
  return __libc_malloc(size);
}
void* calloc(std::size_t number, std::size_t size) {
  count(number * size);
  return __libc_calloc(number, size);
}
void* realloc(void* old, std::size_t size) {
  count(size);
  return __libc_realloc(old, size);
}
void* memalign(std::size_t alignment, std::size_t size) {
  count(size);
  return __libc_memalign(alignment, size);
}
void* aligned_alloc(std::size_t alignment, std::size_t size) {
  count(size);
  return __libc_memalign(alignment, size);
}
int posix_memalign(void** place, std::size_t alignment, std::size_t size) {
  count(size);
  void* block = __libc_memalign(alignment, size);
  if (block == nullptr) return ENOMEM;
  *place = block;
  return 0;
}
}
#elif !defined(TRILL_SANITIZED)
void* operator new(std::size_t size) {
  count(size);
  if (void* block = std::malloc(size > 0 ? size : 1)) return block;
  throw std::bad_alloc();
}
void operator delete(void* block) noexcept { std::free(block); }
void operator delete(void* block, std::size_t) noexcept { std::free(block); }
#endif

namespace trill {
AllocationGuard::AllocationGuard() : start_(allocations), start_bytes_(allocated_bytes) {}
std::size_t AllocationGuard::count() const { return allocations - start_; }
std::size_t AllocationGuard::bytes() const { return allocated_bytes - start_bytes_; }

bool counts_allocations() {
#ifdef TRILL_SANITIZED
  return false;
#else
  return true;
#endif
}
}  // namespace trill
