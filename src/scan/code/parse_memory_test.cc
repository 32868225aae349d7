#include "code/parse_memory.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <utility>
#include <vector>

namespace interlock::scan::code {
namespace {

TEST(ParseMemory, BlocksAreAlignedApartAndKeepWhatIsWritten) {
  const ParseMemory scope;
  struct Block {
    unsigned char* at;
    std::size_t size;
    unsigned char mark;
  };
  std::vector<Block> blocks;
  unsigned char mark = 1;
  for (int round = 0; round < 3; ++round) {
    for (const std::size_t size : {std::size_t{0}, std::size_t{1}, std::size_t{8}, std::size_t{9}, std::size_t{1000},
                                   std::size_t{1016}, std::size_t{1017}, std::size_t{5000}, std::size_t{300000}}) {
      auto* const at = static_cast<unsigned char*>(ParseMemory::Allocate(size));
      ASSERT_NE(at, nullptr);
      EXPECT_EQ(reinterpret_cast<std::uintptr_t>(at) % 16, 0U);
      if (size != 0) std::memset(at, mark, size);
      blocks.push_back({at, size, mark++});
    }
    // Every third is given back and asked for again.
    for (std::size_t i = 0; i < blocks.size(); i += 3) {
      ParseMemory::Free(blocks[i].at);
      blocks[i].at = static_cast<unsigned char*>(ParseMemory::Allocate(blocks[i].size));
      if (blocks[i].size != 0) std::memset(blocks[i].at, blocks[i].mark, blocks[i].size);
    }
  }
  for (const Block& block : blocks) {
    for (std::size_t i = 0; i < block.size; ++i) ASSERT_EQ(block.at[i], block.mark);
  }
}

TEST(ParseMemory, ResizingKeepsTheBytes) {
  const ParseMemory scope;
  auto* at = static_cast<unsigned char*>(ParseMemory::Resize(nullptr, 10));
  for (unsigned char i = 0; i < 10; ++i) at[i] = i;
  for (const std::size_t size : {std::size_t{16}, std::size_t{200}, std::size_t{40000}, std::size_t{1} << 20}) {
    at = static_cast<unsigned char*>(ParseMemory::Resize(at, size));
    ASSERT_NE(at, nullptr);
    for (unsigned char i = 0; i < 10; ++i) EXPECT_EQ(at[i], i);
    at[size - 1] = 1;
  }
  ParseMemory::Free(at);
  ParseMemory::Free(nullptr);
}

TEST(ParseMemory, ZeroedIsZeroAlsoWhereSomethingStood) {
  const ParseMemory scope;
  void* const used = ParseMemory::Allocate(64);
  std::memset(used, 7, 64);
  ParseMemory::Free(used);
  const auto* const clean = static_cast<unsigned char*>(ParseMemory::Zeroed(8, 8));
  for (int i = 0; i < 64; ++i) EXPECT_EQ(clean[i], 0);
  EXPECT_EQ(ParseMemory::Zeroed(SIZE_MAX / 2, 3), nullptr);
}

TEST(ParseMemory, AskedIsOfOneScope) {
  for (int i = 0; i < 2; ++i) {
    const ParseMemory scope;
    EXPECT_EQ(ParseMemory::asked(), 0U);
    ParseMemory::Free(ParseMemory::Allocate(100));
    EXPECT_EQ(ParseMemory::asked(), 100U);
    ParseMemory::ForgetAsked();
    EXPECT_EQ(ParseMemory::asked(), 0U);
  }
}

// What a scope before took is taken again: large and small, in any order.
TEST(ParseMemory, ALaterScopeTakesWhatAnEarlierOneLeft) {
  for (const std::size_t most :
       {std::size_t{40} << 20U, std::size_t{100}, std::size_t{3} << 20U, std::size_t{9} << 20U}) {
    const ParseMemory scope;
    std::vector<std::pair<unsigned char*, std::size_t>> blocks;
    std::size_t size = 24;
    for (std::size_t taken = 0; taken < most; taken += size, size = size * 3 % 700'001 + 1) {
      auto* const at = static_cast<unsigned char*>(ParseMemory::Allocate(size));
      ASSERT_NE(at, nullptr);
      std::memset(at, static_cast<int>(blocks.size() % 251), size);
      blocks.emplace_back(at, size);
    }
    for (std::size_t i = 0; i < blocks.size(); ++i) {
      ASSERT_EQ(blocks[i].first[0], i % 251);
      ASSERT_EQ(blocks[i].first[blocks[i].second - 1], i % 251);
    }
  }
}

}  // namespace
}  // namespace interlock::scan::code
