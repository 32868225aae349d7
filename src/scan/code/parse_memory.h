// Memory for one parse: blocks are taken from chunks, given back to lists by size, and all of it is let go at once when
// the parse is over. A tree has a block for every inner node; giving each to the heap and taking it back is a sixth of
// what a parse costs. One scope a thread at a time; what was taken in a scope is gone with it.
#pragma once

#include <cstddef>
#include <cstdint>

namespace interlock::scan::code {

class ParseMemory {
 public:
  ParseMemory() noexcept;
  ~ParseMemory();
  ParseMemory(const ParseMemory&) = delete;
  ParseMemory& operator=(const ParseMemory&) = delete;

  // Bytes asked for in this scope, those that were given back too.
  [[nodiscard]] static std::uint64_t asked() noexcept;
  static void ForgetAsked() noexcept;

  // As malloc, calloc, realloc and free: nullptr where there is no memory. Outside of a scope nothing may be asked for.
  static void* Allocate(std::size_t bytes) noexcept;
  static void* Zeroed(std::size_t count, std::size_t bytes) noexcept;
  static void* Resize(void* block, std::size_t bytes) noexcept;
  static void Free(void* block) noexcept;

  // Blocks need not be given back one by one. False where a sanitizer watches them: each is then one of the heap.
  [[nodiscard]] static bool LetsGoAtOnce() noexcept;
};

}  // namespace interlock::scan::code
