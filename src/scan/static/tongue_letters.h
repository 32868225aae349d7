// Letters and scripts that tell a language. Private to text_gloss.cc.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "static/text_tongues.h"

namespace interlock::scan {

// Adds to the signs of each language that a word's letters tell: one a word, two where the script is its own.
void CountLetters(std::string_view word, std::array<std::uint32_t, kTongues>& signs);

}  // namespace interlock::scan
