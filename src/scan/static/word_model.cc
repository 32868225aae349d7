#include "static/word_model.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <span>
#include <string_view>

#include "interlock/base/check.h"
#include "static/text_lexicon.h"

namespace interlock::scan {
namespace {

constexpr std::size_t kLongestWord = 24;

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

WordModel::WordModel(BakedReader& in) {
  bias_ = in.Get<double>();
  slots_ = in.GetAll<Slot>();
  known_ = in.GetAll<std::uint64_t>();
  INTERLOCK_CHECK(std::has_single_bit(slots_.size()) && known_.size() * 64 == kKnownBits, "tables as they are asked");
  mask_ = slots_.size() - 1;
}

// What `known_` does not rule out is looked up together, so that one look does not wait for another. By pointers:
// nothing is done for more words than this.
WordEvidence WordModel::Read(const TextCanvas& canvas, const TextSentence& sentence) const noexcept {
  constexpr std::size_t kBatch = 64;
  __attribute__((uninitialized)) std::uint64_t keys[kBatch + 2];  // read as far as it is held
  std::size_t held = 0;
  WordEvidence out;
  const std::uint64_t* const known_bits = known_.data();
  const auto look = [&](std::uint64_t key) {
    const std::size_t bit = BitOf(key);
    keys[held] = key;
    held += known_bits[bit / 64] >> (bit % 64) & 1;
  };
  const Slot* const slots = slots_.data();
  const auto add = [&] {
    for (std::size_t k = 0; k < held; ++k) __builtin_prefetch(&slots[keys[k] & mask_]);
    for (std::size_t k = 0; k < held; ++k) {
      const std::uint32_t tag = TagOf(keys[k]);
      for (std::size_t i = keys[k] & mask_; slots[i].tag != 0; i = (i + 1) & mask_) {
        if (slots[i].tag != tag) continue;
        out.sum += std::bit_cast<float>(slots[i].weight);
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
