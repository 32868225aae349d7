#include "interlock/injection/glossary.h"

#include <algorithm>
#include <array>
#include <bitset>
#include <functional>
#include <unordered_map>
#include <vector>

#include "fold.h"
#include "interlock/base/check.h"
#include "interlock/base/json.h"
#include "tokens.h"
#include "utf8.h"

namespace interlock::embedded {
std::string_view Find_injection_rules(std::string_view file);  // generated: cmake/Embed.cmake
}

namespace interlock::injection {
namespace {

constexpr std::size_t kMaxPhrase = 8;  // tokens; each letter of a script without blanks is one
constexpr std::size_t kPlain = 40;     // bytes; a longer run of letters may be no word
constexpr std::size_t kMaxElided = 6;  // letters before the apostrophe: "dell'"

base::Error Bad(std::string_view sense, std::string_view what) {
  return base::Error(base::ErrorCode::kInvalidArgument, "glossary, `" + std::string(sense) + "`: " + std::string(what));
}

std::uint64_t Join(std::uint64_t phrase, std::uint32_t word) {
  phrase = (phrase ^ word) * 0x9E3779B97F4A7C15ULL;
  return phrase ^ (phrase >> 31U);
}

// What follows an elided article or pronoun; the whole word where there is none.
std::string_view PastElision(std::string_view word) {
  const std::size_t apostrophe = word.substr(0, kMaxElided).find('\'');
  if (apostrophe == std::string_view::npos || apostrophe == 0 || apostrophe + 2 >= word.size()) return word;
  return word.substr(apostrophe + 1);
}

// Looked up by a part of a text, without a copy of it.
struct TextHash {
  using is_transparent = void;
  std::size_t operator()(std::string_view text) const noexcept { return std::hash<std::string_view>{}(text); }
};

struct Sense {
  std::uint32_t hash = 0;
  std::uint32_t english = 0;  // index
};

}  // namespace

struct Glossary::Impl {
  struct First {
    std::uint32_t longest = 0;  // tokens of the longest phrase that starts so
  };
  std::vector<std::string> english;
  std::unordered_map<std::uint32_t, First> firsts;                                 // hash of the first token
  std::unordered_map<std::uint64_t, Sense> phrases;                                // joined hashes of all tokens
  std::unordered_map<std::string, std::uint32_t, TextHash, std::equal_to<>> runs;  // words without blanks, as written
  // How many letters they have, a bit each, by the low bits of the first letter: most letters begin none.
  std::array<std::uint8_t, 1U << 14U> run_letters{};
  std::bitset<1U << 15U> maybe;  // low bits of the first tokens

  // Kept between phrases, of which there are thousands.
  struct Room {
    std::vector<std::uint32_t> hashes;
    std::string words;
    Folded folded;
    Tokens tokens;
  };
  bool Add(std::string_view phrase, std::uint32_t index, Room& room);
  [[nodiscard]] bool Starts(std::uint32_t hash) const { return maybe.test(hash % maybe.size()); }
  [[nodiscard]] unsigned RunLetters(char32_t first) const { return run_letters[first % run_letters.size()]; }
  // The longest phrase of `count` tokens from `hash_of(0)` on: tokens it has, 0 for none.
  template <class HashOf>
  std::size_t Longest(std::size_t count, HashOf&& hash_of, Sense& sense) const {
    const std::uint32_t first = hash_of(0);
    if (!Starts(first)) return 0;
    const auto at = firsts.find(first);
    if (at == firsts.end()) return 0;
    std::size_t found = 0;
    std::uint64_t phrase = 0;
    const std::size_t most = std::min<std::size_t>(count, at->second.longest);
    for (std::size_t n = 0; n < most; ++n) {
      phrase = Join(phrase, hash_of(n));
      if (const auto entry = phrases.find(phrase); entry != phrases.end()) {
        sense = entry->second;
        found = n + 1;
      }
    }
    return found;
  }
};

bool Glossary::Impl::Add(std::string_view phrase, std::uint32_t index, Room& room) {
  auto& [hashes, words, folded, tokens] = room;
  hashes.clear();
  const auto small = [](char c) { return (c >= 'a' && c <= 'z') || c == '_'; };
  const bool plain = phrase.size() <= kPlain && std::ranges::all_of(phrase, small);
  if (plain) {
    // Small letters are their own words: most phrases.
    for (std::size_t at = 0; at < phrase.size();) {
      const std::size_t end = std::min(phrase.find('_', at), phrase.size());
      if (end > at) hashes.push_back(HashWord(phrase.substr(at, end - at)));
      at = end + 1;
    }
  } else {
    words = phrase;
    std::replace(words.begin(), words.end(), '_', ' ');
    Fold(words, folded);
    tokens.tokens.clear();
    tokens.pieces.clear();
    tokens.keys.clear();
    TokenizeWords(folded, tokens);
    for (const Token& token : tokens.tokens) {
      if (token.kind != TokenKind::kWord) return false;
      hashes.push_back(token.hash);
    }
  }
  if (hashes.empty() || hashes.size() > kMaxPhrase) return false;
  std::uint64_t joined = 0;
  for (const std::uint32_t hash : hashes) joined = Join(joined, hash);
  maybe.set(hashes.front() % maybe.size());
  std::uint32_t& longest = firsts[hashes.front()].longest;
  longest = std::max(longest, static_cast<std::uint32_t>(hashes.size()));
  phrases.emplace(joined, Sense{HashWord(english[index]), index});
  if (plain) return true;
  std::size_t at = 0;
  if (const char32_t letter = DecodeUtf8(folded.text, at); IsIdeograph(letter)) {
    std::size_t letters = 1;
    for (; at < folded.text.size(); ++letters) static_cast<void>(DecodeUtf8(folded.text, at));
    if (letters > kMaxPhrase) return false;
    run_letters[letter % run_letters.size()] |= static_cast<std::uint8_t>(1U << (letters - 1));
    runs.emplace(folded.text, index);
  }
  return true;
}

Glossary::Glossary() : impl_(std::make_unique<Impl>()) {}
Glossary::~Glossary() = default;

base::Result<std::shared_ptr<const Glossary>> Glossary::Parse(std::string_view json) {
  auto doc = base::JsonDoc::Parse(json);
  if (!doc.ok()) return doc.error();
  const base::JsonValue root = doc.value().root();
  if (root.Find("schema").string() != "interlock.glossary/v1") return Bad("", "not a glossary of version 1");
  std::shared_ptr<Glossary> glossary(new Glossary());
  Impl& impl = *glossary->impl_;
  Impl::Room room;
  constexpr std::size_t kBytesOfPhrase = 6;  // at least, with what stands around it
  impl.firsts.reserve(json.size() / kBytesOfPhrase);
  impl.phrases.reserve(json.size() / kBytesOfPhrase);
  const base::JsonValue senses = root.Find("senses");
  if (!senses.is_object() || senses.size() == 0) return Bad("", "no senses");
  for (auto sense = senses.begin(); sense != senses.end(); ++sense) {
    const auto index = static_cast<std::uint32_t>(impl.english.size());
    impl.english.emplace_back(sense.key());
    const base::JsonValue languages = *sense;
    if (!languages.is_object()) return Bad(sense.key(), "its words stand by language");
    for (const base::JsonValue list : languages) {
      std::string_view rest = list.string();
      while (!rest.empty()) {
        const std::size_t space = std::min(rest.find(' '), rest.size());
        if (!impl.Add(rest.substr(0, space), index, room)) return Bad(sense.key(), "an entry is no word");
        rest.remove_prefix(std::min(space + 1, rest.size()));
      }
    }
  }
  return std::shared_ptr<const Glossary>(std::move(glossary));
}

const Glossary& Glossary::Default() {
  static const std::shared_ptr<const Glossary> glossary = [] {
    auto parsed = Parse(embedded::Find_injection_rules("glossary.json"));
    INTERLOCK_CHECK(parsed.ok(), "the embedded glossary is loaded by a test");
    return parsed.value();
  }();
  return *glossary;
}

Gloss Glossary::Of(std::span<const std::string> words) const {
  if (words.empty()) return {};
  Sense sense;
  std::size_t found = impl_->Longest(words.size(), [&](std::size_t n) { return HashWord(words[n]); }, sense);
  if (found == 0) {
    const std::string_view rest = PastElision(words.front());
    if (rest.size() == words.front().size()) return {};
    found = impl_->Longest(
        words.size(), [&](std::size_t n) { return HashWord(n == 0 ? rest : std::string_view(words[n])); }, sense);
    if (found == 0) return {};
  }
  return {impl_->english[sense.english], found};
}

Gloss Glossary::AtStartOf(std::string_view run) const {
  Gloss gloss;
  unsigned listed = 0;  // bit 0: words end with the letter read
  for (std::size_t bytes = 0; bytes < run.size();) {
    const bool first = bytes == 0;
    const char32_t letter = DecodeUtf8(run, bytes);
    if (!IsIdeograph(letter)) break;
    listed = first ? impl_->RunLetters(letter) : listed >> 1U;
    if (listed == 0) break;
    if ((listed & 1U) == 0) continue;
    const auto at = impl_->runs.find(run.substr(0, bytes));
    if (at != impl_->runs.end()) gloss = {impl_->english[at->second], bytes};
  }
  return gloss;
}

void Glossary::Apply(std::string_view folded, Tokens& tokens) const {
  std::vector<Token>& list = tokens.tokens;
  for (std::size_t i = 0; i < list.size();) {
    if (list[i].kind != TokenKind::kWord) {
      ++i;
      continue;
    }
    std::size_t words = 1;  // a phrase ends with its words: before a number, an address and the next piece
    while (words < kMaxPhrase && i + words < list.size() && list[i + words].kind == TokenKind::kWord &&
           !list[i + words].starts) {
      ++words;
    }
    Sense sense;
    std::size_t found = impl_->Longest(words, [&](std::size_t n) { return list[i + n].hash; }, sense);
    if (found == 0 && list[i].elides) {
      const std::uint32_t rest = HashWord(PastElision(folded.substr(list[i].begin, list[i].end - list[i].begin)));
      found = impl_->Longest(words, [&](std::size_t n) { return n == 0 ? rest : list[i + n].hash; }, sense);
    }
    if (found == 0) {
      ++i;
      continue;
    }
    list[i].sense = sense.hash;
    for (std::size_t n = 1; n < found; ++n) list[i + n].sense = 0;
    i += found;
  }
}

}  // namespace interlock::injection
