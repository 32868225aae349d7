// Rewriters of one instruction, word by word or as a whole; private to the module.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "splice_text.h"
#include "stress_data.h"

namespace interlock::eval {

[[nodiscard]] std::string Paraphrase(std::string_view text, const StressWords& words, Dice& dice);
[[nodiscard]] std::string Translate(std::string_view text, std::size_t language, const StressWords& words);
// 1 to 3 data-like tokens after every `every` words.
[[nodiscard]] std::string Pad(std::string_view text, std::size_t every, const StressWords& words, Dice& dice);
[[nodiscard]] std::string Homoglyphs(std::string_view text, const StressWords& words, Dice& dice);
[[nodiscard]] std::string ZeroWidth(std::string_view text, const StressWords& words, Dice& dice);
[[nodiscard]] std::string SpacedLetters(std::string_view text);
[[nodiscard]] std::string Base64(std::string_view text);
[[nodiscard]] std::string Hex(std::string_view text);
[[nodiscard]] std::string UrlEncoded(std::string_view text);
[[nodiscard]] std::string HtmlEntities(std::string_view text, Dice& dice);
[[nodiscard]] std::string QuotedMail(std::string_view text, const StressWords& words, Dice& dice);
// Pieces of 3 to 7 words.
[[nodiscard]] std::vector<std::string> Pieces(std::string_view text, Dice& dice);
// A data-like token from a template.
[[nodiscard]] std::string FillTemplate(std::string_view pattern, Dice& dice);

}  // namespace interlock::eval
