// Words of names and prompts, for the intent features; private to the module.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace interlock::bounds {

// Lower-case words of letters (and whole runs of scripts without blanks): "sendMoney_to" -> send money to. Digits and
// punctuation separate. At most `max_words`.
[[nodiscard]] std::vector<std::string> WordsOf(std::string_view text, std::size_t max_words = 4096);

// A word of a text, and the English word it stands for where it is of another language (injection/glossary.h).
struct Reading {
  std::string word;
  std::string_view english;  // empty: `word` is what it is
  [[nodiscard]] std::string_view meaning() const noexcept { return english.empty() ? std::string_view(word) : english; }
};
// The same words; a phrase that stands for one English word is one reading, and so is each listed word inside a run.
[[nodiscard]] std::vector<Reading> ReadingsOf(std::string_view text, std::size_t max_words = 4096);

// A crude stem, the same for "transactions" and "transaction", "scheduled" and "schedule". English only; other words
// come back as they are.
[[nodiscard]] std::string StemOf(std::string_view word);

// The same on every machine; not keyed: for models, never for tables that hostile text fills.
[[nodiscard]] std::uint32_t HashOf(std::string_view bytes) noexcept;

}  // namespace interlock::bounds
