// Counts every operator new of a test binary: for tests that promise to allocate nothing. Include in one file of a
// binary only. Under sanitizers, which own operator new, INTERLOCK_COUNTS_ALLOCATIONS is 0 and such tests are left out.
#pragma once

#include <atomic>
#include <cstdlib>
#include <new>

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define INTERLOCK_COUNTS_ALLOCATIONS 0
#else
#define INTERLOCK_COUNTS_ALLOCATIONS 1
#endif

namespace {
std::atomic<std::size_t> allocations{0};
}  // namespace

#if INTERLOCK_COUNTS_ALLOCATIONS
namespace {
void* Allocate(std::size_t size) noexcept {
  ++allocations;
  if (void* p = std::malloc(size == 0 ? 1 : size)) return p;
  std::abort();
}
}  // namespace

void* operator new(std::size_t size) { return Allocate(size); }
void* operator new[](std::size_t size) { return Allocate(size); }
void* operator new(std::size_t size, const std::nothrow_t&) noexcept { return Allocate(size); }
void* operator new[](std::size_t size, const std::nothrow_t&) noexcept { return Allocate(size); }
void operator delete(void* p) noexcept { std::free(p); }
void operator delete[](void* p) noexcept { std::free(p); }
void operator delete(void* p, std::size_t) noexcept { std::free(p); }
void operator delete[](void* p, std::size_t) noexcept { std::free(p); }
#endif
