// Text of another language, word by word in English, so that what is known of English words counts for it: a dictionary
// and no translation (injection/glossary.h, meaning/glossary.json).
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace interlock::scan {

struct GlossedText {
  std::string text;
  std::vector<std::uint32_t> map;  // byte of the text that each byte stands for
};

// Whether short words of another language stand in `text` (lower case), many more than English ones: also where no
// dictionary helps.
[[nodiscard]] bool IsForeign(std::string_view text);

// False: `text` (lower case) is ASCII without a word that says what language it may be; GlossText() would say no.
[[nodiscard]] bool MayBeForeign(std::string_view text);

// The ASCII words among those that do, of letters alone.
[[nodiscard]] std::span<const std::string_view> ForeignWords();

// False where `text` (lower case) is English, or where too few of its words are known.
[[nodiscard]] bool GlossText(std::string_view text, GlossedText& out);

}  // namespace interlock::scan
