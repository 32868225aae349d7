// Words that mean what words of tool names mean; private to the module. English: other languages come through the
// glossary. General vocabulary; docs/bounds.md says what it is for.
#pragma once

#include <cstdint>
#include <vector>

#include "words.h"

namespace interlock::bounds {

// Appends the hash of the word's stem and those of the tool words that it stands for besides itself: "transfer" ->
// transfer, send, money.
void AppendMeanings(const Reading& reading, std::vector<std::uint32_t>& stems);
// A verb that can start an order, or a word of asking.
[[nodiscard]] bool IsOrderVerb(const Reading& reading) noexcept;
// "must", "should", ...: with a verb after it, an order without an imperative.
[[nodiscard]] bool IsObligation(const Reading& reading) noexcept;

}  // namespace interlock::bounds
