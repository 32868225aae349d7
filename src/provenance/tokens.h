// Text as a sequence of words in canonical form, each with the bytes it came from.
//
// A word is a run of letters and digits after NFKC, case folding and removal of invisible characters; scripts written
// without spaces give one word a character. Words longer than kMaxWordBytes are cut. Everything else separates.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "keyed_hash.h"

namespace interlock::provenance::internal {

inline constexpr std::size_t kMaxWordBytes = 64;

// How backslashes are read. kPlain: as they stand. kJson: escapes of one JSON string level. kDeep: escapes of any
// level, as in JSON inside a JSON string: a run of backslashes counts as one.
enum class Reading : std::uint8_t { kPlain, kJson, kDeep };

struct Token {
  std::uint64_t hash;
  std::uint32_t begin;  // bytes of the raw text
  std::uint32_t end;
  std::uint32_t text;  // place of the canonical word in TokenList::text()
  std::uint16_t size;
  bool all_digits;  // ASCII ones
  bool has_digit;
};

struct TokenList {
  std::vector<Token> tokens;
  [[nodiscard]] std::string_view word(std::size_t i) const {
    const Token& token = tokens.data()[i];
    return {buffer.data() + token.text, token.size};
  }
  // The words one after the other.
  [[nodiscard]] std::string_view text() const { return {buffer.data(), used}; }
  void clear() {
    tokens.clear();
    used = 0;
  }
  std::vector<char> buffer;  // never shrinks: what follows the words is room
  std::size_t used = 0;
};

class Tokenizer {
 public:
  explicit Tokenizer(const KeyedHash& hash) : hash_(hash) {}

  // Replaces `out`. Stops after `max_tokens`; returns how many bytes of `raw` were read. Linear.
  std::size_t Read(std::string_view raw, Reading reading, std::size_t max_tokens, TokenList& out);

 private:
  std::size_t ReadSlow(std::string_view raw, std::size_t from, Reading reading, TokenList& out);
  enum class Digits : std::uint8_t { kNone, kSome, kAll };
  void Emit(TokenList& out, std::size_t size, Digits digits, std::size_t begin, std::size_t end);
  void Append(TokenList& out, std::string_view word, std::size_t begin, std::size_t end);

  const KeyedHash& hash_;
  std::size_t raw_size_ = 0;
  std::string decoded_;
  std::vector<std::uint32_t> from_;  // raw begin of each decoded byte, and one past
  std::vector<std::uint32_t> to_;    // raw end of each decoded byte
};

// The escape at raw[at] == '\\' as `reading` reads it: its length, and the code point it stands for (0 for one that
// only separates).
struct Escape {
  std::size_t size = 1;
  std::uint32_t code_point = 0;
};
[[nodiscard]] Escape ReadEscape(std::string_view raw, std::size_t at, Reading reading) noexcept;

// Whether reading `raw` as kDeep could give other words than reading it as `reading`.
[[nodiscard]] bool DiffersWhenDeep(std::string_view raw, Reading reading) noexcept;

// `raw` with escapes undone as `reading` says, NFKC, folded, invisible characters removed, runs of white space as one
// space, none around. Two texts that agree in this form differ in nothing a person sees but case and spacing.
[[nodiscard]] std::string CanonicalText(std::string_view raw, Reading reading);

// True for words that say nothing about where a value came from: articles, pronouns, true, http, ...; single letters
// too.
[[nodiscard]] bool IsStopWord(std::string_view word) noexcept;

}  // namespace interlock::provenance::internal
