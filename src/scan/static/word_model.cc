#include "static/word_model.h"

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <cmath>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "interlock/base/check.h"
#include "interlock/scan/scanner.h"
#include "static/listed_words.h"
#include "static/meaning_model.h"

namespace interlock::embedded {
std::string_view Find_scan_meaning(std::string_view file);  // generated: cmake/Embed.cmake
}

namespace interlock::scan {
namespace {

constexpr std::size_t kLongestWord = 24;
constexpr std::size_t kKnownBits = std::size_t{1} << 17;
constexpr std::uint64_t kNext = 0x9E3779B97F4A7C15ULL;
constexpr std::uint64_t kSkip = 0xC2B2AE3D27D4EB4FULL;

constexpr std::uint64_t Mixed(std::uint64_t h) noexcept {
  h ^= h >> 32;
  h *= 0xD6E8FEB86659FD93ULL;
  return h ^ h >> 32;
}
constexpr std::uint64_t KeyOf(std::uint64_t word) noexcept { return Mixed(word); }
constexpr std::uint64_t KeyOf(std::uint64_t a, std::uint64_t b, std::uint64_t how) noexcept {
  return Mixed(a * how + b);
}

constexpr std::string_view kUrlWord = "<url>";
constexpr std::string_view kMailWord = "<mail>";
constexpr std::string_view kPathWord = "<path>";
constexpr std::string_view kNumberWord = "<n>";
constexpr std::string_view kNameWord = "<name>";

constexpr std::array<bool, 256> kNameSigns = [] {
  std::array<bool, 256> table{};
  for (const char c : std::string_view("./_\\@#$:=")) table[static_cast<unsigned char>(c)] = true;
  return table;
}();

// The word that stands for a class of words; empty: the word itself.
std::string_view Stands(const TextCanvas& canvas, const TextToken& token) noexcept {
  if ((token.set & Bit(kWUrl)) != 0) return kUrlWord;
  if ((token.set & Bit(kWMail)) != 0) return kMailWord;
  if ((token.set & Bit(kWSecretPath)) != 0) return kPathWord;
  const std::string_view word = canvas.Of(token);
  if (word.empty() || (word[0] >= '0' && word[0] <= '9')) return kNumberWord;
  if (word.size() > kLongestWord) return kNameWord;
  if (token.symbol && std::ranges::any_of(word, [](char c) { return kNameSigns[static_cast<unsigned char>(c)]; }))
    return kNameWord;
  return {};
}

std::uint64_t HashOf(const TextCanvas& canvas, const TextToken& token) noexcept {
  constexpr WordSet kClasses = Bit(kWUrl) | Bit(kWMail) | Bit(kWSecretPath);
  if (!token.symbol && token.size <= kLongestWord && (token.set & kClasses) == 0) return token.hash;
  const std::string_view stands = Stands(canvas, token);
  return stands.empty() ? token.hash : HashWord(stands);
}

}  // namespace

double WordEvidence::odds() const noexcept {
  return WordModel::Get().bias() + sum / std::sqrt(static_cast<double>(std::max<std::uint32_t>(known, 1)));
}

void ReadWordLists() {
  (void)ListedWords::Get();
  (void)MeaningModel::Get();
  (void)WordModel::Get();
}

const WordModel& WordModel::Get() {
  static const WordModel model;
  return model;
}

namespace {

// "-1.03": with two decimals, as all weights but the bias have.
float HundredthsIn(std::string_view number) {
  const bool minus = number.starts_with('-');
  int hundredths = 0;
  for (const char c : number.substr(minus ? 1 : 0)) {
    if (c == '.') continue;
    INTERLOCK_CHECK(c >= '0' && c <= '9', "the shipped weights of words are numbers");
    hundredths = hundredths * 10 + (c - '0');
  }
  return static_cast<float>(minus ? -hundredths : hundredths) / 100.0F;
}

}  // namespace

// Lines of weight, a tab, and one or two words; between words that have another between them stands "_".
WordModel::WordModel() {
  const std::string_view text = embedded::Find_scan_meaning("words.txt");
  std::vector<std::pair<std::uint64_t, float>> keys;
  keys.reserve(text.size() / 16);
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    const std::string_view line = text.substr(at, end - at);
    at = end + 1;
    const std::size_t tab = line.find('\t');
    if (tab == std::string_view::npos) continue;  // a comment
    const std::string_view words = line.substr(tab + 1);
    if (words.empty()) {
      float bias = 0.0F;
      const auto read = std::from_chars(line.data(), line.data() + tab, bias);
      INTERLOCK_CHECK(read.ec == std::errc{}, "the shipped bias is a number");
      bias_ = bias;
      continue;
    }
    INTERLOCK_CHECK(tab > 3 && line[tab - 3] == '.', "the shipped weights of words have two decimals");
    const float weight = HundredthsIn(line.substr(0, tab));
    const std::size_t first = words.find(' ');
    if (first == std::string_view::npos) {
      keys.emplace_back(KeyOf(HashWord(words)), weight);
      continue;
    }
    const std::size_t last = words.rfind(' ');
    keys.emplace_back(
        KeyOf(HashWord(words.substr(0, first)), HashWord(words.substr(last + 1)), last == first ? kNext : kSkip),
        weight);
  }
  const std::size_t size = std::bit_ceil(std::max<std::size_t>(keys.size() * 2, 64));
  slots_.resize(size);
  mask_ = size - 1;
  known_.resize(kKnownBits / 64);
  for (const auto& [key, one] : keys) Add(key, one);
}

void WordModel::Add(std::uint64_t key, float weight) {
  const auto tag = static_cast<std::uint32_t>(key >> 32) | 1U;
  std::size_t i = key & mask_;
  while (slots_[i].tag != 0 && slots_[i].tag != tag) i = (i + 1) & mask_;
  slots_[i] = {tag, weight};
  const std::size_t bit = key >> 40 & (kKnownBits - 1);
  known_[bit / 64] |= std::uint64_t{1} << (bit % 64);
}

// What is looked for is mostly not there, which a table of bits small enough for the nearest cache tells; the rest is
// looked up together, so that one look does not wait for another. By pointers: nothing is done for more words than
// this.
WordEvidence WordModel::Read(const TextCanvas& canvas, const TextSentence& sentence) const noexcept {
  constexpr std::size_t kBatch = 64;
  __attribute__((uninitialized)) std::uint64_t keys[kBatch + 2];  // read as far as it is held
  std::size_t held = 0;
  WordEvidence out;
  const std::uint64_t* const known_bits = known_.data();
  const auto look = [&](std::uint64_t key) {
    const std::size_t bit = key >> 40 & (kKnownBits - 1);
    keys[held] = key;
    held += known_bits[bit / 64] >> (bit % 64) & 1;
  };
  const Slot* const slots = slots_.data();
  const auto add = [&] {
    for (std::size_t k = 0; k < held; ++k) __builtin_prefetch(&slots[keys[k] & mask_]);
    for (std::size_t k = 0; k < held; ++k) {
      const auto tag = static_cast<std::uint32_t>(keys[k] >> 32) | 1U;
      for (std::size_t i = keys[k] & mask_; slots[i].tag != 0; i = (i + 1) & mask_) {
        if (slots[i].tag != tag) continue;
        out.sum += slots[i].weight;
        ++out.known;
        break;
      }
    }
    held = 0;
  };
  std::uint64_t before = 0;
  std::uint64_t last = 0;
  std::uint32_t count = 0;
  const std::span<const TextToken> tokens =
      std::span(canvas.tokens).subspan(sentence.first, sentence.last - sentence.first);
  for (const TextToken& token : tokens) {
    if (token.reported) continue;
    const std::uint64_t word = HashOf(canvas, token);
    look(KeyOf(word));
    if (count > 0) look(KeyOf(last, word, kNext));
    if (count > 1) look(KeyOf(before, word, kSkip));
    before = last;
    last = word;
    ++count;
    if (held + 3 > kBatch) add();
  }
  add();
  return out;
}

std::string ModelWords(const TextCanvas& canvas, const TextSentence& sentence) {
  std::string out;
  for (std::uint32_t i = sentence.first; i < sentence.last; ++i) {
    if (canvas.tokens[i].reported) continue;
    const std::string_view stands = Stands(canvas, canvas.tokens[i]);
    if (!out.empty()) out += ' ';
    out += stands.empty() ? canvas.Of(canvas.tokens[i]) : stands;
  }
  return out;
}

}  // namespace interlock::scan
