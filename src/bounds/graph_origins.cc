#include "graph_origins.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>

#include "interlock/base/byte_classes.h"
#include "interlock/base/find_bytes.h"

namespace interlock::bounds {
namespace {

constexpr std::uint64_t kSeed = 0x9E3779B97F4A7C15U;
constexpr std::uint64_t kPrime = 0x100000001B3U;

std::uint64_t Mix(std::uint64_t x) noexcept {
  x ^= x >> 32;
  x *= 0xD6E8FEB86659FD93U;
  x ^= x >> 29;
  return x;
}
std::uint64_t PairOf(std::uint64_t a, std::uint64_t b) noexcept { return Mix(a * 3 + std::rotl(b, 17)) | 1U; }

// For each byte: 0 separates, else the byte that counts (lower case). Bytes beyond ASCII are parts of words.
constexpr std::array<unsigned char, 256> MakeFold() {
  std::array<unsigned char, 256> fold{};
  for (unsigned c = 0; c < 256; ++c) {
    const bool is_upper = c >= 'A' && c <= 'Z';
    const bool is_word = is_upper || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c >= 0x80;
    fold[c] = is_word ? static_cast<unsigned char>(is_upper ? c - 'A' + 'a' : c) : 0;
  }
  return fold;
}
constexpr std::array<unsigned char, 256> kFold = MakeFold();

unsigned char Folded(char c) noexcept { return kFold[static_cast<unsigned char>(c)]; }

// Eight bytes of a word, in lower case.
std::uint64_t Lower(std::uint64_t bytes) noexcept {
  return bytes | (~bytes & 0x8080808080808080U) >> 2U;  // digits have that bit already; beyond ASCII nothing changes
}

template <class T>
std::uint64_t Load(const char* bytes) noexcept {
  T value = 0;
  std::memcpy(&value, bytes, sizeof value);
  return value;
}

std::uint64_t Low(std::size_t bits) { return bits >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << bits) - 1; }

// Of a word that is no number: eight bytes a step. `readable`: bytes there are from its start, its own and others.
std::uint64_t PrintOf(const char* word, std::size_t size, std::size_t readable) noexcept {
  std::uint64_t print = kSeed ^ size;
  for (; size > 8; word += 8, size -= 8, readable -= 8) {
    print = (print ^ Lower(Load<std::uint64_t>(word))) * 0xD6E8FEB86659FD93U;
    print ^= print >> 32U;
  }
  std::uint64_t bytes = 0;
  if (readable >= sizeof bytes) {
    bytes = Load<std::uint64_t>(word);
  } else {
    std::memcpy(&bytes, word, size);
  }
  // The lengths of words are as good as random: no branch on them.
  if constexpr (std::endian::native == std::endian::big) bytes = __builtin_bswap64(bytes);
  return Mix(print ^ Lower(bytes & Low(8 * size))) | 1U;
}
bool IsDigit(char c) noexcept { return c >= '0' && c <= '9'; }

class ByteSet {
 public:
  constexpr explicit ByteSet(std::string_view members) {
    for (const char c : members) has_[static_cast<unsigned char>(c)] = true;
  }
  [[nodiscard]] bool HasAnyOf(std::string_view text) const {
    return std::ranges::any_of(text, [this](char c) { return has_[static_cast<unsigned char>(c)]; });
  }

 private:
  std::array<bool, 256> has_{};
};
constexpr ByteSet kEndsChunk(" \t\r\n\"'<>(),;");
constexpr ByteSet kJoins("0123456789@:/._");

struct Word {
  std::uint64_t print = 0;
  std::size_t begin = 0;
  std::size_t end = 0;
};

// The words of a text, one after the other. A number is one word, without separators of thousands and trailing zeros of
// a fraction: "1,100.00" and "1100" are the same.
class Words {
 public:
  explicit Words(std::string_view text) : text_(text), classes_(text) {}

  bool Next(Word& word) {
    if (!SkipGap()) return false;
    word.begin = at_;
    const char* const bytes = text_.data();
    bool is_number = true;
    for (std::size_t size = kBlock; size == kBlock && at_ < text_.size();) {
      classes_.LoadAt(at_);
      const std::size_t offset = at_ % kBlock;
      const auto run = static_cast<std::size_t>(std::countr_one((classes_.word() | classes_.beyond()) >> offset));
      is_number &= (~classes_.digit() >> offset & Low(run)) == 0;
      at_ += run;
      size = offset + run;  // a word that reaches the end of the block may go on
    }
    if (is_number) {
      std::uint64_t print = kSeed;
      for (std::size_t i = word.begin; i < at_; ++i) print = (print ^ static_cast<unsigned char>(bytes[i])) * kPrime;
      word.print = Number(print);
    } else {
      word.print = PrintOf(bytes + word.begin, at_ - word.begin, text_.size() - word.begin);
    }
    word.end = at_;
    return true;
  }

 private:
  static constexpr std::size_t kBlock = base::ByteClasses::kBlock;

  // To the next word; false when there is none.
  bool SkipGap() {
    const std::size_t size = text_.size();
    while (at_ < size) {
      classes_.LoadAt(at_);
      const std::size_t offset = at_ % kBlock;
      const std::uint64_t ahead = (classes_.word() | classes_.beyond() | classes_.backslash()) >> offset;
      if (ahead == 0) {
        at_ += kBlock - offset;
        continue;
      }
      at_ += static_cast<std::size_t>(std::countr_zero(ahead));
      if (text_[at_] != '\\') return true;
      // Escapes of dumped strings ("\nTotal") are no letters.
      const bool escapes = at_ + 1 < size && (text_[at_ + 1] == 'n' || text_[at_ + 1] == 't' || text_[at_ + 1] == 'r');
      at_ += escapes ? 2 : 1;
    }
    return false;
  }
  bool DigitsAt(std::size_t at, std::size_t count) const {
    if (at + count > text_.size()) return false;
    for (std::size_t i = at; i < at + count; ++i) {
      if (!IsDigit(text_[i])) return false;
    }
    return true;
  }

  // After a run of digits, at most 3 of which may be followed by groups of thousands.
  std::uint64_t Number(std::uint64_t print) {
    const std::size_t size = text_.size();
    while (at_ < size && text_[at_] == ',' && DigitsAt(at_ + 1, 3) && !DigitsAt(at_ + 4, 1)) {
      for (std::size_t i = at_ + 1; i < at_ + 4; ++i) print = (print ^ static_cast<unsigned char>(text_[i])) * kPrime;
      at_ += 4;
    }
    if (at_ + 1 < size && text_[at_] == '.' && IsDigit(text_[at_ + 1])) {
      std::size_t end = at_ + 1;
      while (end < size && IsDigit(text_[end])) ++end;
      std::size_t last = end;
      while (last > at_ + 1 && text_[last - 1] == '0') --last;
      if (last > at_ + 1) {
        for (std::size_t i = at_; i < last; ++i) print = (print ^ static_cast<unsigned char>(text_[i])) * kPrime;
      }
      at_ = end;
    }
    return Mix(print) | 1U;
  }

  std::string_view text_;
  base::ByteClasses classes_;
  std::size_t at_ = 0;
};

// A run without white space that identifies something: long enough, with a digit or a joint in it.
bool Identifies(std::string_view chunk) { return chunk.size() >= 6 && kJoins.HasAnyOf(chunk); }

constexpr std::size_t kLongWord = 4;

}  // namespace

void OriginFinder::Clear() {
  values_.clear();
  chunks_.clear();
  postings_.clear();
  built_ = false;
  steps_ = 0;
}

std::uint32_t OriginFinder::AddValue(std::string_view text, std::uint32_t turn) {
  const auto ordinal = static_cast<std::uint32_t>(values_.size());
  text = text.substr(0, limits_.max_value_bytes);
  Value value{.text = text, .turn = turn, .first_chunk = static_cast<std::uint32_t>(chunks_.size())};
  const std::size_t max_words = std::min<std::size_t>(limits_.max_words, 64);
  const std::size_t first_posting = postings_.size();
  Words words(text);
  Word word;
  std::uint64_t previous = 0;
  std::size_t previous_end = 0;
  std::size_t count = 0;
  std::size_t chunk_word = 0;
  std::size_t chunk_begin = 0;
  std::size_t word_bytes = 0;
  const auto close_chunk = [&](std::size_t end) {
    if (count > chunk_word && Identifies(text.substr(chunk_begin, end - chunk_begin))) {
      chunks_.push_back({.words = Low(count) & ~Low(chunk_word), .pairs = Low(count) & ~Low(chunk_word + 1)});
      ++value.chunk_count;
    }
  };
  while (count < max_words && words.Next(word)) {
    const std::string_view gap = text.substr(previous_end, word.begin - previous_end);
    if (count == 0 || kEndsChunk.HasAnyOf(gap)) {
      close_chunk(previous_end);
      chunk_word = count;
      chunk_begin = word.begin;
    }
    postings_.push_back(
        {.print = word.print, .value = ordinal, .bit = static_cast<std::uint8_t>(count), .is_pair = false});
    if (count > 0) {
      postings_.push_back({.print = PairOf(previous, word.print),
                           .value = ordinal,
                           .bit = static_cast<std::uint8_t>(count),
                           .is_pair = true});
    }
    if (word.end - word.begin >= kLongWord) {
      ++value.long_words;
      value.long_mask |= std::uint64_t{1} << count;
    }
    word_bytes += word.end - word.begin;
    previous = word.print;
    previous_end = word.end;
    ++count;
  }
  close_chunk(previous_end);
  if (word_bytes <= 1) {  // a single character is everywhere
    postings_.resize(first_posting);
    chunks_.resize(value.first_chunk);
    value.chunk_count = 0;
    count = 0;
  }
  value.word_count = static_cast<std::uint32_t>(count);
  values_.push_back(value);
  built_ = false;
  return ordinal;
}

// Postings of one print hang together in the order in which they were added: by value, then word.
void OriginFinder::Build() {
  const std::size_t size = std::bit_ceil(std::max<std::size_t>(64, postings_.size() * 4));
  if (slots_.size() < size || stamp_ > kMaxStamp) {
    slots_.assign(std::max(size, slots_.size()), {});
    stamp_ = 0;
  }
  first_stamp_ = ++stamp_;  // slots of earlier stamps are free
  mask_ = size - 1;
  for (std::uint32_t i = 0; i < postings_.size(); ++i) {
    Posting& posting = postings_[i];
    posting.next = kNone;
    Slot& slot = SlotOf(posting.print);
    if (slot.stamp < first_stamp_) {
      slot = {.print = posting.print, .first = i, .last = i, .count = 1, .stamp = first_stamp_};
    } else {
      postings_[slot.last].next = i;
      slot.last = i;
      ++slot.count;
    }
  }
  built_ = true;
}

// Where the print is, or the free slot where it would be.
OriginFinder::Slot& OriginFinder::SlotOf(std::uint64_t print) {
  Slot* const slots = slots_.data();
  std::size_t i = print >> 1U & mask_;
  while (slots[i].stamp >= first_stamp_ && slots[i].print != print) i = (i + 1) & mask_;
  return slots[i];
}

// Marks the values that have this word or pair; once a source.
inline bool OriginFinder::Probe(std::uint64_t print, std::size_t at) {
  Slot& slot = SlotOf(print);
  if (slot.stamp < first_stamp_) return false;
  if (slot.stamp != stamp_) Mark(slot, at);
  return true;
}

void OriginFinder::Mark(Slot& slot, std::size_t at) {
  slot.stamp = stamp_;
  steps_ += slot.count;
  for (std::uint32_t k = slot.first; k != kNone; k = postings_[k].next) {
    const Posting& posting = postings_[k];
    Value& value = values_[posting.value];
    if (!value.touched) {
      value.touched = true;
      value.seen_words = 0;
      value.seen_pairs = 0;
      value.first_seen = at;
      touched_.push_back(posting.value);
    }
    (posting.is_pair ? value.seen_pairs : value.seen_words) |= std::uint64_t{1} << posting.bit;
  }
}

OriginMatch OriginFinder::MatchOf(const Value& value, std::string_view text) {
  const std::uint64_t words = Low(value.word_count);
  if ((value.seen_words & words) == words && (value.seen_pairs | 1U) == words) {
    // The value may begin with what is no word: look a little before its first word.
    const std::size_t lead = std::min<std::size_t>(value.first_seen, value.text.size());
    const std::string_view rest = text.substr(value.first_seen - lead);
    steps_ += rest.size() / 64;
    const std::size_t begin = base::FindBytes(rest, value.text);
    if (begin == std::string_view::npos) return OriginMatch::kCanonical;
    // Whole words: "98.7" is not in "98.70" byte for byte.
    const std::size_t end = begin + value.text.size();
    const bool cut = (begin > 0 && Folded(rest[begin - 1]) != 0 && Folded(value.text.front()) != 0) ||
                     (end < rest.size() && Folded(rest[end]) != 0 && Folded(value.text.back()) != 0);
    return cut ? OriginMatch::kCanonical : OriginMatch::kExact;
  }
  for (std::uint32_t i = value.first_chunk; i < value.first_chunk + value.chunk_count; ++i) {
    const Chunk& chunk = chunks_[i];
    if ((value.seen_words & chunk.words) == chunk.words && (value.seen_pairs & chunk.pairs) == chunk.pairs) {
      return OriginMatch::kFormat;
    }
  }
  if (value.long_words >= 2) {
    const auto seen = static_cast<std::uint32_t>(std::popcount(value.seen_words & value.long_mask));
    if (seen * 2 >= value.long_words) return OriginMatch::kSubstring;
  }
  return OriginMatch::kNone;
}

bool OriginFinder::Scan(std::string_view text, std::uint32_t from_turn, std::vector<Hit>& hits) {
  if (!built_) Build();
  if (postings_.empty()) return true;
  ++stamp_;
  touched_.clear();
  Words words(text);
  Word word;
  std::uint64_t previous = 0;
  bool previous_hit = false;
  while (words.Next(word)) {
    ++steps_;
    const bool hit = Probe(word.print, word.begin);
    if (hit && previous_hit) (void)Probe(PairOf(previous, word.print), word.begin);
    previous = word.print;
    previous_hit = hit;
    if (steps_ > limits_.max_steps) break;
  }
  for (const std::uint32_t ordinal : touched_) {
    Value& value = values_[ordinal];
    value.touched = false;
    if (value.turn < from_turn) continue;
    const OriginMatch match = MatchOf(value, text);
    if (match != OriginMatch::kNone) hits.push_back({.value = ordinal, .match = match});
  }
  return steps_ <= limits_.max_steps;
}

}  // namespace interlock::bounds
