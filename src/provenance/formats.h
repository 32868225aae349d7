// Things that are written in more than one way: amounts, dates, telephone numbers, account numbers in groups. Each has
// a key that all its spellings share.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tokens.h"

namespace interlock::provenance::internal {

enum class Format : std::uint8_t { kNumber = 1, kDate, kPhone, kGrouped };

struct FormatHit {
  Format format;
  std::uint32_t first;  // tokens
  std::uint32_t last;   // one past
  std::string key;      // kNumber: plain decimal text; kDate: yyyymmdd; kPhone: digits; kGrouped: the groups joined
  bool marked = false;  // kNumber: with a currency sign or code, a decimal part or thousands separators
  bool percent = false;
};

// Finds them in `raw`, whose words are `list`. A spelling that reads in two ways (03/04/2024; 1,234) gives a hit each.
// Numbers written as digits alone are given only when `plain_numbers`. Linear; replaces `hits`.
void FindFormats(std::string_view raw, const TokenList& list, bool plain_numbers, std::vector<FormatHit>& hits);

// The part of a telephone number that does not depend on how its prefix is written.
[[nodiscard]] std::string_view PhoneTail(std::string_view digits) noexcept;

// Plain decimal text in ten-thousandths; nothing for what is too large or too fine.
[[nodiscard]] std::optional<std::int64_t> ScaledNumber(std::string_view number);

}  // namespace interlock::provenance::internal
