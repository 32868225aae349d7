// Programs that a text calls by name.
#include <array>
#include <bit>
#include <cstdint>

#include "interlock/base/byte_classes.h"
#include "static/supply_internal.h"

namespace interlock::scan {
namespace {

using ByteTable = std::array<bool, 256>;

void Add(ByteTable& table, char c) { table[static_cast<unsigned char>(c)] = true; }
bool Has(const ByteTable& table, char c) { return table[static_cast<unsigned char>(c)]; }

// The two letters that names begin with: by the first one, a bit for each second one.
using PairTable = std::array<std::uint32_t, 256>;

constexpr std::uint32_t BitOf(char c) { return std::uint32_t{1} << (static_cast<unsigned char>(c) % 32); }
void Add(PairTable& table, std::string_view name) {
  table[static_cast<unsigned char>(name[0])] |= name.size() > 1 ? BitOf(name[1]) : ~std::uint32_t{0};
}
// What stands behind the end of the text is `\0`.
bool Has(const PairTable& table, std::string_view text, std::size_t at) {
  const char next = at + 1 < text.size() ? text[at + 1] : '\0';
  return (table[static_cast<unsigned char>(text[at])] & BitOf(next)) != 0;
}

}  // namespace

std::vector<std::vector<std::size_t>> CallsOf(std::string_view text, std::span<const std::string_view> names,
                                              std::string_view before, std::size_t most) {
  PairTable begins{};
  ByteTable apart{};
  for (const std::string_view name : names) Add(begins, name);
  for (const char c : before) Add(apart, c);
  std::vector<std::vector<std::size_t>> calls(names.size());
  base::ByteClasses classes(text);
  std::uint64_t carry = 0;  // the block before ends in a word
  for (std::size_t block = 0; block < text.size(); block += base::ByteClasses::kBlock) {
    classes.LoadAt(block);
    const std::uint64_t word = classes.word();
    for (std::uint64_t starts = word & ~(word << 1 | carry); starts != 0; starts &= starts - 1) {
      const std::size_t at = block + static_cast<std::size_t>(std::countr_zero(starts));
      if (!Has(begins, text, at) || (at != 0 && !Has(apart, text[at - 1]))) continue;
      for (std::size_t i = 0; i < names.size(); ++i) {
        if (names[i].front() == text[at] && text.substr(at).starts_with(names[i]) && calls[i].size() < most)
          calls[i].push_back(at);
      }
    }
    carry = word >> (base::ByteClasses::kBlock - 1);
  }
  return calls;
}

}  // namespace interlock::scan
