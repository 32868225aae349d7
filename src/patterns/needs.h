// Words that a match cannot do without, beside those by which its place was found: a window that lacks them is not
// worth an automaton. Private to the module.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "re2/filtered_re2.h"

namespace interlock::patterns {

// One of these occurs in every text that the expression matches, in whatever ASCII case. Lower case.
using Need = std::vector<std::string>;

// Words of `filter`'s only expression, of which one must occur: ASCII, the longest ones that will do. Compiles the
// filter. Several: each by itself, none has a word of another. `most`: of them.
[[nodiscard]] std::vector<Need> NeedsOf(re2::FilteredRE2& filter, std::size_t most);

// Linear in the text for each of the words, which have two bytes or more.
[[nodiscard]] bool HasAny(std::string_view text, std::span<const std::string> words) noexcept;

}  // namespace interlock::patterns
