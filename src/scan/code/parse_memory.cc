#include "code/parse_memory.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdlib>
#include <cstring>
#include <utility>

#include "interlock/base/check.h"

#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(memory_sanitizer)
#define INTERLOCK_WATCHED_HEAP 1
#endif
#endif
#if defined(__SANITIZE_ADDRESS__)
#define INTERLOCK_WATCHED_HEAP 1
#endif

namespace interlock::scan::code {
namespace {

#ifdef INTERLOCK_WATCHED_HEAP
constexpr bool kWatched = true;
#else
constexpr bool kWatched = false;
#endif

constexpr std::size_t kStep = 16;  // small blocks are multiples of it
constexpr std::size_t kLargestSmall = 1024;
constexpr std::size_t kSmallLists = kLargestSmall / kStep;
constexpr std::size_t kLists = kSmallLists + 48;  // then a list for each power of two
constexpr std::size_t kFirstChunk = std::size_t{256} << 10;
constexpr std::size_t kLargestChunk = std::size_t{4} << 20;
// A thread keeps that much for its next parse: pages that the system has to clear again cost as much as what is written
// to them.
constexpr std::size_t kKept = std::size_t{24} << 20;

// In front of every block; what is given out stands at multiples of 16 as the heap's does.
struct Head {
  std::uint64_t list = 0;
};
struct Free {
  Free* next = nullptr;
};
struct Chunk {
  Chunk* before = nullptr;
  std::size_t size = 0;
};
static_assert(sizeof(Chunk) % kStep == 0);

std::size_t ListOf(std::size_t size) noexcept {
  if (size <= kLargestSmall) return size / kStep - 1;
  return kSmallLists + static_cast<std::size_t>(std::bit_width(size - 1)) -
         static_cast<std::size_t>(std::bit_width(kLargestSmall - 1)) - 1;
}
std::size_t SizeOf(std::size_t list) noexcept {
  return list < kSmallLists ? (list + 1) * kStep : kLargestSmall << (list - kSmallLists + 1);
}

struct Arena {
  std::array<Free*, kLists> lists{};
  char* at = nullptr;
  char* end = nullptr;
  Chunk* chunks = nullptr;
  Chunk* spare = nullptr;  // from scopes before, the smallest first
  std::uint64_t asked = 0;
  bool open = false;

  static void Drop(Chunk* chunk) noexcept {
    while (chunk != nullptr) {
      Chunk* const before = chunk->before;
      std::free(chunk);
      chunk = before;
    }
  }

  // What was not used this time lies behind what was, which was taken from the front.
  void Reset() noexcept {
    std::size_t kept = 0;
    for (const Chunk* chunk = spare; chunk != nullptr; chunk = chunk->before) kept += chunk->size;
    while (chunks != nullptr) {
      Chunk* const chunk = chunks;
      chunks = chunk->before;
      // One of another size is no chunk to keep.
      if (kept + chunk->size > kKept || !std::has_single_bit(chunk->size) || chunk->size > kLargestChunk) {
        std::free(chunk);
        continue;
      }
      kept += chunk->size;
      chunk->before = spare;
      spare = chunk;
    }
    lists = {};
    at = nullptr;
    end = nullptr;
  }

  void* Take(std::size_t bytes) noexcept {
    if (bytes > std::size_t{1} << 40) return nullptr;
    const std::size_t list = ListOf((bytes + sizeof(Head) + kStep - 1) / kStep * kStep);
    if (Free* const block = lists[list]; block != nullptr) {
      lists[list] = block->next;
      return block;
    }
    const std::size_t size = SizeOf(list);
    if (static_cast<std::size_t>(end - at) < size && !Grow(size)) return nullptr;
    Head* const head = reinterpret_cast<Head*>(at + kStep - sizeof(Head));
    head->list = list;
    at += size;
    return head + 1;
  }

  bool Grow(std::size_t size) noexcept {
    INTERLOCK_CHECK(open, "what is parsed is parsed in a scope");
    const std::size_t next = chunks == nullptr ? kFirstChunk : std::min(kLargestChunk, chunks->size * 2);
    std::size_t whole = std::max(next, size + sizeof(Chunk) + kStep);
    Chunk* chunk = spare;
    if (chunk != nullptr && chunk->size >= size + sizeof(Chunk) + kStep) {
      whole = chunk->size;
      spare = chunk->before;
    } else {
      chunk = static_cast<Chunk*>(std::malloc(whole));
    }
    if (chunk == nullptr) return false;
    *chunk = {.before = chunks, .size = whole};
    chunks = chunk;
    at = reinterpret_cast<char*>(chunk + 1);
    end = EndOf(*chunk);
    return true;
  }

  // A block reaches half a step beyond its multiple of 16.
  static char* EndOf(Chunk& chunk) noexcept { return reinterpret_cast<char*>(&chunk) + chunk.size - kStep; }
};

constinit thread_local Arena g_arena;
struct Cleaner {
  ~Cleaner() {
    Arena::Drop(std::exchange(g_arena.chunks, nullptr));
    Arena::Drop(std::exchange(g_arena.spare, nullptr));
  }
};
thread_local Cleaner g_cleaner;  // apart, so that the arena is reached without a guard

Head* HeadOf(void* block) noexcept { return static_cast<Head*>(block) - 1; }

}  // namespace

ParseMemory::ParseMemory() noexcept {
  INTERLOCK_CHECK(!g_arena.open, "one parse a thread at a time");
  [[maybe_unused]] Cleaner* const cleaner = &g_cleaner;  // made, so that it is there when the thread ends
  g_arena.open = true;
  g_arena.asked = 0;
}
ParseMemory::~ParseMemory() {
  if (!kWatched) g_arena.Reset();
  g_arena.open = false;
}

std::uint64_t ParseMemory::asked() noexcept { return g_arena.asked; }
void ParseMemory::ForgetAsked() noexcept { g_arena.asked = 0; }
bool ParseMemory::LetsGoAtOnce() noexcept { return !kWatched; }

void* ParseMemory::Allocate(std::size_t bytes) noexcept {
  g_arena.asked += bytes;
  return kWatched ? std::malloc(bytes) : g_arena.Take(bytes);
}

void* ParseMemory::Zeroed(std::size_t count, std::size_t bytes) noexcept {
  std::size_t all = 0;
  if (__builtin_mul_overflow(count, bytes, &all)) return nullptr;
  void* const block = Allocate(all);
  if (block != nullptr) std::memset(block, 0, all);
  return block;
}

void* ParseMemory::Resize(void* block, std::size_t bytes) noexcept {
  if (kWatched) {
    g_arena.asked += bytes;
    return std::realloc(block, bytes);
  }
  if (block == nullptr) return Allocate(bytes);
  const std::size_t room = SizeOf(HeadOf(block)->list) - sizeof(Head);
  if (bytes <= room) {
    g_arena.asked += bytes;
    return block;
  }
  void* const larger = Allocate(bytes);
  if (larger == nullptr) return nullptr;
  std::memcpy(larger, block, room);
  Free(block);
  return larger;
}

void ParseMemory::Free(void* block) noexcept {
  if (kWatched) {
    std::free(block);
    return;
  }
  if (block == nullptr) return;
  const std::size_t list = HeadOf(block)->list;
  auto* const free = static_cast<struct Free*>(block);
  free->next = g_arena.lists[list];
  g_arena.lists[list] = free;
}

}  // namespace interlock::scan::code
