// Hostile text inside HTML and SVG: element content and quoted attributes, never scripts, styles or bare attributes.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace interlock::base {

// The five special characters escaped; control and bidirectional characters shown as `Printable` shows them. Of `text`
// the first `max_bytes` are read. Total; safe from any thread.
[[nodiscard]] std::string EscapeHtml(std::string_view text, std::size_t max_bytes = 20'000);

}  // namespace interlock::base
