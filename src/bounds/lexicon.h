// Words that mean what words of tool names mean, in English and some other languages; private to the module. General
// vocabulary; docs/bounds.md says what it is for.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace interlock::bounds {

// Appends the hashes of the stems of tool words that `word` (lower case) stands for besides itself: "transfer" -> send,
// money. Nothing for a word that is not listed.
void AppendMeanings(std::string_view word, std::vector<std::uint32_t>& stems);
// For scripts without spaces: the same for every listed word that stands anywhere in `run`, at most 64.
void AppendMeaningsWithin(std::string_view run, std::vector<std::uint32_t>& stems);
// A verb that can start an order, in any of the languages.
[[nodiscard]] bool IsOrderVerb(std::string_view word) noexcept;
// "must", "should", ...: with a verb after it, an order without an imperative.
[[nodiscard]] bool IsObligation(std::string_view word) noexcept;
[[nodiscard]] bool HoldsOrderVerb(std::string_view run) noexcept;  // scripts without spaces

}  // namespace interlock::bounds
