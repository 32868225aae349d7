// Private. What a text says once its disguises are off, each with a map back to the original bytes.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "interlock/injection/span_finder.h"

namespace interlock::injection {

struct View {
  struct Event {
    std::uint32_t at = 0;  // of the view's text
    SpanFlags flags = 0;
  };
  std::string text;
  std::vector<std::uint32_t> begin;  // of each byte: the original bytes it came from
  std::vector<std::uint32_t> end;
  std::vector<Event> events;  // where something was undone, in order
  SpanFlags all = 0;          // of the view as a whole: it was decoded
  [[nodiscard]] base::ByteSpan Back(std::size_t from, std::size_t to) const;
  // What was undone between the bytes [from, to).
  [[nodiscard]] SpanFlags FlagsIn(std::size_t from, std::size_t to) const;
};

// Entities, percent and backslash escapes, invisible and tag characters, wide and look-alike letters, spaced letters;
// then base64, hexadecimal and rotated texts, and what is in them, three levels deep. At most `max_bytes` in all;
// `complete` becomes false when that was not enough. Empty for a text without any disguise.
[[nodiscard]] std::vector<View> DecodedViews(std::string_view text, std::size_t max_bytes, bool& complete);

}  // namespace interlock::injection
