// What SourceIndex keeps: the texts, their words in order, and for every word (also pair of common words, amount, date,
// ...) where it stands. Bounded lists: of a key that many sources share the first kFirst, the newest kNewest and those
// that bring a new label are kept, so that repetition, hostile or not, costs neither time nor memory.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "chunked.h"
#include "formats.h"
#include "interlock/provenance/source_index.h"
#include "keyed_hash.h"
#include "tokens.h"

namespace interlock::provenance::internal {

inline constexpr std::uint32_t kNone = 0xFFFFFFFFu;
inline constexpr std::uint32_t kFirst = 8;
inline constexpr std::uint32_t kNewest = 8;
inline constexpr std::size_t kMaxAmounts = 24;  // of one source, for arithmetic
inline constexpr std::size_t kMinFuzzy = 6;     // bytes of a word that may be misspelled

// Spaces of keys; words have space 0.
enum class Space : std::uint64_t { kWord = 0, kNumber = 1, kDate = 2, kPhone = 3, kGrouped = 4 };

// A word where it stands. `begin` and size share a word: a source is at most 16 MiB.
struct Place {
  std::uint32_t entry;
  std::uint32_t begin_size;  // size 255: see SourceStore::LongEnd
  std::uint32_t next;        // next place of the same word in this segment, or kNone
  [[nodiscard]] std::uint32_t begin() const { return begin_size >> 8; }
};

struct FormatPlace {
  std::uint32_t source;
  std::uint32_t begin;
  std::uint32_t end;
  std::uint32_t next;  // next place of the same key in this source, or kNone
};

struct Amount {
  std::int64_t value;  // in ten-thousandths
  std::uint32_t begin;
  std::uint32_t end : 31;
  bool percent : 1;
};
static_assert(sizeof(Amount) == 16);

// One reading of one source.
struct Segment {
  std::uint32_t source;
  std::uint32_t begin;  // places
  std::uint32_t end;
  std::uint32_t turn;  // of the source; here so that a lookup need not touch it
  core::LabelSet labels;
  SourceKind kind;
  Reading reading;
};

struct Source {
  SourceInfo info;
  std::string text;
  std::vector<Amount> amounts;
  std::vector<std::int64_t> values;  // of those that are no percentages, sorted
};

// Words by three of their bytes: the newest of each chain. Three bytes are 2^24 keys at most, spread by a keyed hash.
class Chains {
 public:
  [[nodiscard]] std::uint32_t Newest(std::uint64_t hash) const noexcept {
    const Link& link = links_[Slot(hash)];
    return link.newest;
  }
  // Puts `word` at the front; returns the one that was there.
  std::uint32_t Push(std::uint64_t hash, std::uint32_t word);
  [[nodiscard]] std::size_t bytes() const noexcept { return links_.capacity() * sizeof(Link); }

 private:
  struct Link {
    std::uint32_t tag = 0;  // of the hash; another key with the same tag shares the chain, which costs precision only
    std::uint32_t newest = kNone;
  };
  [[nodiscard]] std::size_t Slot(std::uint64_t hash) const noexcept {
    const auto tag = static_cast<std::uint32_t>(hash >> 32);
    const std::size_t size = links_.size();
    std::size_t i = ScaleTo(std::uint64_t{tag} << 32, size);
    while (links_[i].newest != kNone && links_[i].tag != tag) {
      if (++i == size) i = 0;
    }
    return i;
  }
  std::vector<Link> links_{64};
  std::size_t used_ = 0;
};

class SourceStore {
 public:
  explicit SourceStore(const SourceIndexOptions& options);

  std::uint32_t Add(const SourceInfo& info, std::string_view text);

  [[nodiscard]] const KeyedHash& hash() const noexcept { return hash_; }
  [[nodiscard]] const std::vector<Source>& sources() const noexcept { return sources_; }
  [[nodiscard]] const std::vector<Segment>& segments() const noexcept { return segments_; }
  [[nodiscard]] const Place& place(std::uint32_t at) const { return places_[at]; }
  [[nodiscard]] Chunked<Place>::View places() const noexcept { return Chunked<Place>::View(places_); }
  [[nodiscard]] const FormatPlace& format_place(std::uint32_t at) const { return format_places_[at]; }
  [[nodiscard]] std::uint32_t End(std::uint32_t at) const {
    const std::uint32_t begin_size = places_[at].begin_size;
    const std::uint32_t size = begin_size & 0xFF;
    return size != kLongWord ? (begin_size >> 8) + size : LongEnd(at);
  }
  [[nodiscard]] const Segment& SegmentOf(std::uint32_t place) const {
    const Segment& first = segments_.data()[segment_at_.data()[place / kStride]];
    return place < first.end ? first : LaterSegment(place);
  }
  // Brings what a visit of `place` reads into the cache.
  void PrefetchPlace(std::uint32_t place) const noexcept {
    const char* const at = reinterpret_cast<const char*>(&places_[place]);
    __builtin_prefetch(at - sizeof(Place));  // its neighbours too, which may be on another line
    __builtin_prefetch(at + 2 * sizeof(Place) - 1);
    __builtin_prefetch(segment_at_.data() + place / kStride);
  }
  // Brings the slot of a word or pair into the cache.
  void PrefetchSlot(std::uint64_t hash) const noexcept {
    __builtin_prefetch(slots_.data() + ScaleTo(hash, slots_.size()));
  }
  // The entry that is first in that slot, which is most often the right one; once the slot is there.
  void PrefetchEntry(std::uint64_t hash) const noexcept {
    const std::uint32_t slot = slots_.data()[ScaleTo(hash, slots_.size())];
    if (slot != kNone) __builtin_prefetch(&entries_[slot & kSlotId]);
  }
  // What ForEachPlace reads of an entry beyond its own line.
  void PrefetchPlaces(std::uint32_t id) const noexcept {
    const Entry& entry = entries_[id];
    if (entry.count <= 2) return;
    if (entry.count <= kFirst) {
      __builtin_prefetch(&more_[entry.more]);
    } else {
      __builtin_prefetch(&rings_[entry.more]);
    }
  }
  // Number of sources (readings of them) that have the entry.
  [[nodiscard]] std::uint32_t Count(std::uint32_t entry) const { return entries_[entry].count; }

  [[nodiscard]] std::uint32_t Find(std::uint64_t hash) const noexcept;
  [[nodiscard]] std::uint32_t FindKey(Space space, std::string_view key) const noexcept {
    return Find(hash_(key, static_cast<std::uint64_t>(space)));
  }

  // Calls take(place) for the kept places of an entry: the first of each kept source. Those of the newest sources are
  // left out when `newest` is false.
  template <class Take>
  void ForEachPlace(std::uint32_t entry, Take&& take, bool newest = true) const;

  // A word that may be meant by a misspelled one.
  struct LookAlike {
    std::uint32_t entry;
    std::uint32_t signature;  // letters of the word as a set, and its size; to rule out words that cannot be near
    std::uint32_t next_head;
    std::uint32_t next_tail;
  };
  // Calls take(look_alike) for words that share the first or the last three bytes with `word`, at most `limit` of each.
  template <class Take>
  void ForEachLookAlike(std::string_view word, std::uint32_t limit, Take&& take) const;
  [[nodiscard]] std::uint32_t FirstPlace(std::uint32_t entry) const { return entries_[entry].first[0]; }
  [[nodiscard]] static std::uint32_t SignatureOf(std::string_view word) noexcept;

  [[nodiscard]] std::size_t memory_bytes() const noexcept;
  [[nodiscard]] bool complete() const noexcept { return complete_; }
  [[nodiscard]] std::uint64_t steps() const noexcept { return steps_; }

 private:
  struct alignas(32) Entry {  // never over the border of a cache line
    std::uint64_t hash = 0;
    std::array<std::uint32_t, 2> first{};  // the first two places; more_ holds the others
    std::uint32_t more = kNone;            // in more_, over kFirst sources in rings_
    std::uint32_t count : 24 = 0;          // sources, saturating
    std::uint32_t here : 8 = 0;            // places in the newest segment, saturating
    std::uint32_t last = kNone;            // newest place of all
  };
  struct More {
    std::array<std::uint32_t, kFirst - 2> first{};
  };
  struct Ring {
    std::uint32_t more = kNone;
    std::array<std::uint32_t, kNewest> newest{};
    std::uint32_t size = 0;  // ever put in, saturating in steps of kNewest
    core::LabelSet labels = 0;
    std::uint32_t extra = kNone;
  };
  struct Extra {
    std::uint32_t place;
    std::uint32_t next;
  };

  static constexpr std::size_t kStride = 64;                // places a step of segment_at_
  static constexpr std::uint32_t kSlotId = (1u << 24) - 1;  // of a slot: the entry; the rest are bits of its hash

  static constexpr std::uint32_t kLongWord = 255;

  [[nodiscard]] const Segment& LaterSegment(std::uint32_t place) const;
  [[nodiscard]] std::uint32_t LongEnd(std::uint32_t place) const;
  std::uint32_t Make(std::uint64_t hash);
  void Grow();
  void Prefetch(std::size_t i, bool& crowded) const;
  void Post(Entry& entry, std::uint32_t at, core::LabelSet labels, bool is_format);
  void AddReading(std::uint32_t source, Reading reading);
  void AddFormats(std::uint32_t source);
  void AddPair(const Token& first, const Token& second, std::uint32_t at, std::uint32_t segment_begin);
  void AddLookAlike(std::uint32_t entry, std::string_view word);
  [[nodiscard]] std::uint64_t ThreeBytes(std::string_view part) const noexcept { return hash_(part); }
  [[nodiscard]] core::LabelSet LabelsAt(std::uint32_t at, bool is_format) const;

  SourceIndexOptions options_;
  KeyedHash hash_;
  std::vector<Source> sources_;
  std::vector<Segment> segments_;
  Chunked<Place> places_;
  Chunked<FormatPlace, 32> format_places_;
  Chunked<Entry, 32> entries_;
  Chunked<More, 32> more_;
  Chunked<Ring, 16> rings_;
  Chunked<Extra, 16> extras_;
  Chunked<LookAlike, 32> look_alikes_;
  std::vector<std::uint32_t> slots_;
  std::vector<std::uint32_t> segment_at_;  // segment of each kStride-th place
  Chains heads_;
  Chains tails_;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> long_ends_;  // place, end; in order
  std::size_t text_bytes_ = 0;
  std::uint64_t steps_ = 0;  // work done by Add, in words
  bool complete_ = true;
  // Scratch of Add.
  Tokenizer tokenizer_;
  TokenList list_;
  std::vector<FormatHit> hits_;
};

template <class Take>
void SourceStore::ForEachPlace(std::uint32_t id, Take&& take, bool newest) const {
  const Entry& entry = entries_[id];
  const std::uint32_t count = entry.count;
  for (std::uint32_t i = 0; i < count && i < 2; ++i) take(entry.first[i]);
  if (count <= 2) return;
  const More& more = more_[count <= kFirst ? entry.more : rings_[entry.more].more];
  for (std::uint32_t i = 2; i < count && i < kFirst; ++i) take(more.first[i - 2]);
  if (count <= kFirst) return;
  const Ring& ring = rings_[entry.more];
  for (std::uint32_t at = ring.extra; at != kNone; at = extras_[at].next) take(extras_[at].place);
  if (!newest) return;
  const std::uint32_t kept = ring.size < kNewest ? ring.size : kNewest;
  for (std::uint32_t i = 0; i < kept; ++i) take(ring.newest[(ring.size - kept + i) % kNewest]);
}

template <class Take>
void SourceStore::ForEachLookAlike(std::string_view word, std::uint32_t limit, Take&& take) const {
  if (word.size() < 3) return;
  std::uint32_t at = heads_.Newest(ThreeBytes(word.substr(0, 3)));
  for (std::uint32_t n = 0; at != kNone && n < limit; ++n, at = look_alikes_[at].next_head) take(look_alikes_[at]);
  at = tails_.Newest(ThreeBytes(word.substr(word.size() - 3)));
  for (std::uint32_t n = 0; at != kNone && n < limit; ++n, at = look_alikes_[at].next_tail) take(look_alikes_[at]);
}

}  // namespace interlock::provenance::internal
