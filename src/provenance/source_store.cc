#include "source_store.h"

#include <algorithm>
#include <utility>

#include "interlock/base/json.h"

namespace interlock::provenance::internal {
namespace {

constexpr std::size_t kMaxSourceBytes = (std::size_t{1} << 24) - 1;
constexpr std::uint32_t kMaxEnd = (1u << 31) - 1;  // of an Amount; no source is that long
// A slot of the table: an entry, and eight bits of its hash so that a probe rarely touches the wrong entry. The upper
// bits of the hash say where the slot is.
constexpr unsigned kIdBits = 24;
constexpr std::uint32_t kIdMask = (1u << kIdBits) - 1;  // SourceStore::kSlotId
constexpr std::size_t kMaxEntries = kIdMask - 1;
std::uint32_t TagOf(std::uint64_t hash) { return static_cast<std::uint32_t>(hash) << kIdBits; }
// Small tables by halves, which wastes less; large ones are not to grow often.
std::size_t GrownFrom(std::size_t size) { return size < 16'384 ? size + size / 2 : size * 2; }
constexpr std::size_t kShortSession = std::size_t{128} << 10;  // bytes of text
constexpr std::uint32_t kCrowded = 32;  // places of a word in one segment from which on its pairs are kept
constexpr std::uint32_t kMaxCount = (1u << 24) - 1;
constexpr std::uint32_t kMaxHere = 255;
constexpr std::size_t kAhead = 8;  // words whose entries are fetched before they are needed

// A whole JSON document has one right reading of its backslashes; in any other text they are ambiguous.
Reading ReadingOf(std::string_view text) {
  if (text.find('\\') == std::string_view::npos) return Reading::kPlain;
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  if (first == std::string_view::npos || std::string_view("{[\"").find(text[first]) == std::string_view::npos) {
    return Reading::kPlain;
  }
  base::JsonLimits limits;
  limits.max_depth = 1000;
  return base::JsonDoc::Parse(text, limits).ok() ? Reading::kJson : Reading::kPlain;
}

// Words before a number that make it an amount, as keys of records.
bool NamesAnAmount(std::string_view word) {
  static constexpr std::array<std::string_view, 12> kNames{"amount", "balance", "budget", "cost", "due", "fee",
                                                           "paid",   "price",   "rent",   "sum",  "tax", "total"};
  return std::ranges::binary_search(kNames, word);
}

}  // namespace

SourceStore::SourceStore(const SourceIndexOptions& options)
    : options_(options), hash_(options.key), slots_(64, kNone), tokenizer_(hash_) {}

std::uint32_t SourceStore::Add(const SourceInfo& info, std::string_view text) {
  const auto ordinal = static_cast<std::uint32_t>(sources_.size());
  const std::size_t limit = std::min({options_.max_source_bytes, kMaxSourceBytes, options_.max_bytes - text_bytes_});
  if (text.size() > limit) {
    complete_ = false;
    // What fits of a long text is still worth having; cut between characters.
    std::size_t size = limit;
    while (size > 0 && (static_cast<unsigned char>(text[size]) & 0xC0) == 0x80) --size;
    text = text.substr(0, size);
  }
  sources_.push_back({.info = info, .text = std::string(text), .amounts = {}, .values = {}});
  text_bytes_ += text.size();
  const Reading reading = ReadingOf(text);
  AddReading(ordinal, reading);
  AddFormats(ordinal);
  if (DiffersWhenDeep(text, reading)) AddReading(ordinal, Reading::kDeep);
  // One source's words would be a good part of what a short session holds; a longer one is faster with them in place.
  if (text_bytes_ < kShortSession) {
    list_ = TokenList();
    hits_ = std::vector<FormatHit>();
  }
  return ordinal;
}

std::uint32_t SourceStore::Find(std::uint64_t hash) const noexcept {
  const std::uint32_t* const slots = slots_.data();
  const std::size_t size = slots_.size();
  const std::uint32_t tag = TagOf(hash);
  for (std::size_t i = ScaleTo(hash, size);;) {
    const std::uint32_t slot = slots[i];
    if (slot == kNone) return kNone;
    if ((slot & ~kIdMask) == tag && entries_[slot & kIdMask].hash == hash) return slot & kIdMask;
    if (++i == size) i = 0;
  }
}

inline std::uint32_t SourceStore::Make(std::uint64_t hash) {
  std::uint32_t* const slots = slots_.data();
  const std::size_t size = slots_.size();
  const std::uint32_t tag = TagOf(hash);
  std::size_t i = ScaleTo(hash, size);
  for (std::uint32_t slot = slots[i]; slot != kNone; slot = slots[i]) {
    if ((slot & ~kIdMask) == tag && entries_[slot & kIdMask].hash == hash) return slot & kIdMask;
    if (++i == size) i = 0;
  }
  Entry entry;
  entry.hash = hash;
  const std::uint32_t id = entries_.push_back(entry);
  slots[i] = id | tag;
  if (std::size_t{entries_.size()} * 4 > size * 3) Grow();
  return id;
}

void SourceStore::Grow() {
  std::vector<std::uint32_t> slots(GrownFrom(slots_.size()), kNone);
  const std::size_t size = slots.size();
  for (std::uint32_t id = 0; id < entries_.size(); ++id) {
    const std::uint64_t hash = entries_[id].hash;
    std::size_t i = ScaleTo(hash, size);
    while (slots.data()[i] != kNone) {
      if (++i == size) i = 0;
    }
    slots.data()[i] = id | TagOf(hash);
  }
  slots_ = std::move(slots);
}

core::LabelSet SourceStore::LabelsAt(std::uint32_t at, bool is_format) const {
  return sources_[is_format ? format_places_[at].source : SegmentOf(at).source].info.labels;
}

void SourceStore::Post(Entry& entry, std::uint32_t at, core::LabelSet labels, bool is_format) {
  const std::uint32_t n = entry.count;
  if (n < kMaxCount) entry.count = (n + 1) & kMaxCount;
  if (n < 2) {
    entry.first[n] = at;
    return;
  }
  if (n == 2) entry.more = more_.push_back(More{});
  if (n < kFirst) {
    more_[entry.more].first[n - 2] = at;
    return;
  }
  if (n == kFirst) {
    Ring fresh;
    fresh.more = entry.more;
    for (const std::uint32_t place : entry.first) fresh.labels |= LabelsAt(place, is_format);
    for (const std::uint32_t place : more_[entry.more].first) fresh.labels |= LabelsAt(place, is_format);
    entry.more = rings_.push_back(fresh);
  }
  Ring& ring = rings_[entry.more];
  if ((ring.labels | labels) != ring.labels) {
    ring.labels |= labels;
    ring.extra = extras_.push_back({.place = at, .next = ring.extra});
  }
  ring.newest[ring.size % kNewest] = at;
  ring.size = ring.size + 1 == 1u << 31 ? kNewest : ring.size + 1;
}

// What the words after the i-th will touch, each step of the way early enough for the next to follow it. `crowded`:
// whether the word before the one whose entry is looked at was, so that their pair will be made.
void SourceStore::Prefetch(std::size_t i, bool& crowded) const {
  const Token* const tokens = list_.tokens.data() + i;
  const std::uint32_t* const slots = slots_.data();
  const std::size_t size = slots_.size();
  __builtin_prefetch(slots + ScaleTo(tokens[kAhead].hash, size));
  const std::uint32_t soon = slots[ScaleTo(tokens[kAhead / 2].hash, size)];
  if (soon != kNone) __builtin_prefetch(&entries_[soon & kIdMask]);
  const bool before = std::exchange(crowded, false);
  const std::uint32_t next = slots[ScaleTo(tokens[kAhead / 4].hash, size)];
  if (next == kNone) return;
  const Entry& entry = entries_[next & kIdMask];
  if (entry.count <= kFirst) return;
  crowded = true;
  __builtin_prefetch(&rings_[entry.more]);
  if (before) PrefetchSlot(hash_.Pair(tokens[kAhead / 4 - 1].hash, tokens[kAhead / 4].hash));
}

void SourceStore::AddReading(std::uint32_t source, Reading reading) {
  const std::string_view text = sources_[source].text;
  const core::LabelSet labels = sources_[source].info.labels;
  list_.tokens.reserve(text.size() / 5);
  tokenizer_.Read(text, reading, text.size(), list_);
  // A word makes at most two entries here, and two more as part of formats.
  if (std::size_t{places_.size()} + list_.tokens.size() >= kNone ||
      entries_.size() + 4 * list_.tokens.size() > kMaxEntries) {
    list_.clear();
    complete_ = false;
    return;
  }
  const std::uint32_t begin = places_.size();
  segments_.push_back({.source = source,
                       .begin = begin,
                       .end = begin + static_cast<std::uint32_t>(list_.tokens.size()),
                       .turn = sources_[source].info.turn,
                       .labels = labels,
                       .kind = sources_[source].info.kind,
                       .reading = reading});
  while (segment_at_.size() * kStride < segments_.back().end) {
    segment_at_.push_back(static_cast<std::uint32_t>(segments_.size() - 1));
  }
  bool crowded_before = false;
  bool crowded_soon = false;
  const Token* const tokens = list_.tokens.data();
  const std::size_t count = list_.tokens.size();
  for (std::size_t i = 0; i < count; ++i) {
    const Token& token = tokens[i];
    if (i + kAhead < count) Prefetch(i, crowded_soon);
    const std::uint32_t before = entries_.size();
    const std::uint32_t id = Make(token.hash);
    const std::uint32_t size = std::min(token.end - token.begin, kLongWord);
    const std::uint32_t at = places_.push_back({.entry = id, .begin_size = token.begin << 8 | size, .next = kNone});
    if (size == kLongWord) long_ends_.emplace_back(at, token.end);
    if (id == before && token.size >= kMinFuzzy) AddLookAlike(id, list_.word(i));
    Entry& entry = entries_[id];
    if (entry.last != kNone && entry.last >= begin) {
      places_[entry.last].next = at;
      if (entry.here < kMaxHere) entry.here = (entry.here + 1u) & kMaxHere;
    } else {
      entry.here = 1;
      Post(entry, at, labels, false);
    }
    entry.last = at;
    const bool crowded = entry.count > kFirst || entry.here > kCrowded;
    if (crowded && crowded_before) AddPair(tokens[i - 1], token, at - 1, begin);
    crowded_before = crowded;
  }
  steps_ += list_.tokens.size();
}

void SourceStore::AddPair(const Token& first, const Token& second, std::uint32_t at, std::uint32_t segment_begin) {
  const std::uint32_t id = Make(hash_.Pair(first.hash, second.hash));
  Entry& entry = entries_[id];
  if (entry.last != kNone && entry.last >= segment_begin) return;
  entry.last = at;
  Post(entry, at, sources_[segments_.back().source].info.labels, false);
}

void SourceStore::AddLookAlike(std::uint32_t id, std::string_view word) {
  const std::uint32_t at =
      look_alikes_.push_back({.entry = id, .signature = SignatureOf(word), .next_head = 0, .next_tail = 0});
  look_alikes_[at].next_head = heads_.Push(ThreeBytes(word.substr(0, 3)), at);
  look_alikes_[at].next_tail = tails_.Push(ThreeBytes(word.substr(word.size() - 3)), at);
}

std::uint32_t Chains::Push(std::uint64_t hash, std::uint32_t word) {
  Link& link = links_[Slot(hash)];
  if (link.newest != kNone) return std::exchange(link.newest, word);
  link = {.tag = static_cast<std::uint32_t>(hash >> 32), .newest = word};
  if (++used_ * 4 <= links_.size() * 3) return kNone;
  std::vector<Link> old(GrownFrom(links_.size()));
  old.swap(links_);
  for (const Link& one : old) {
    if (one.newest != kNone) links_[Slot(std::uint64_t{one.tag} << 32)] = one;
  }
  return kNone;
}

// Of the reading that was tokenised last.
void SourceStore::AddFormats(std::uint32_t source) {
  Source& into = sources_[source];
  FindFormats(into.text, list_, false, hits_);
  steps_ += list_.tokens.size();
  static constexpr std::array<Space, 5> kSpaces{Space::kWord, Space::kNumber, Space::kDate, Space::kPhone,
                                                Space::kGrouped};
  const auto add_amount = [&](std::string_view number, std::uint32_t begin, std::uint32_t end, bool percent) {
    if (into.amounts.size() >= kMaxAmounts) return;
    const std::optional<std::int64_t> value = ScaledNumber(number);
    if (value.has_value() && *value > 0) {
      into.amounts.push_back({.value = *value, .begin = begin, .end = end & kMaxEnd, .percent = percent});
    }
  };
  for (const FormatHit& found : hits_) {
    const std::uint32_t begin = list_.tokens[found.first].begin;
    const std::uint32_t end = list_.tokens[found.last - 1].end;
    if (found.format == Format::kNumber) {
      add_amount(found.key, begin, end, found.percent);
      if (found.last - found.first == 1) continue;  // its word is its key
    }
    const std::string_view key = found.format == Format::kPhone ? PhoneTail(found.key) : std::string_view(found.key);
    const Space space = kSpaces[static_cast<std::size_t>(found.format)];
    const std::uint32_t id = Make(hash_(key, static_cast<std::uint64_t>(space)));
    const std::uint32_t at = format_places_.push_back({.source = source, .begin = begin, .end = end, .next = kNone});
    Entry& entry = entries_[id];
    if (entry.last != kNone && format_places_[entry.last].source == source) {
      format_places_[entry.last].next = at;
    } else {
      Post(entry, at, into.info.labels, true);
    }
    entry.last = at;
  }
  // Digits alone are an amount in a request, and in a record under a name that says so.
  const bool request = into.info.kind == SourceKind::kRequest;
  std::size_t hit = 0;
  for (std::size_t i = 0; i < list_.tokens.size() && into.amounts.size() < kMaxAmounts; ++i) {
    const Token& token = list_.tokens.data()[i];
    if (!token.all_digits || token.size > 12) continue;
    while (hit < hits_.size() && hits_[hit].last <= i) ++hit;
    if (hit < hits_.size() && hits_[hit].first <= i) continue;
    if (!request && (i == 0 || !NamesAnAmount(list_.word(i - 1)))) continue;
    add_amount(list_.word(i), token.begin, token.end, false);
  }
  into.amounts.shrink_to_fit();
  into.values.reserve(into.amounts.size());
  for (const Amount& amount : into.amounts) {
    if (!amount.percent) into.values.push_back(amount.value);
  }
  std::ranges::sort(into.values);
}

std::uint32_t SourceStore::LongEnd(std::uint32_t at) const {
  return std::ranges::lower_bound(long_ends_, at, {}, &std::pair<std::uint32_t, std::uint32_t>::first)->second;
}

// Where the segment at the start of its stride ends before it.
const Segment& SourceStore::LaterSegment(std::uint32_t at) const {
  const std::size_t stride = at / kStride;
  // Results that a few words say have it among the next few.
  const Segment* next_one = segments_.data() + segment_at_[stride] + 1;
  for (int i = 0; i < 4; ++i, ++next_one) {
    if (at < next_one->end) return *next_one;
  }
  const auto from = segments_.begin() + segment_at_[stride];
  const auto to = stride + 1 < segment_at_.size() ? segments_.begin() + segment_at_[stride + 1] + 1 : segments_.end();
  const auto next =
      std::upper_bound(from, to, at, [](std::uint32_t place, const Segment& s) { return place < s.begin; });
  return *std::prev(next);
}

std::uint32_t SourceStore::SignatureOf(std::string_view word) noexcept {
  static constexpr auto kBit = [] {
    std::array<std::uint32_t, 256> bits{};
    for (std::size_t c = 0; c < bits.size(); ++c) bits[c] = 1u << (c % 26);
    return bits;
  }();
  std::uint32_t set = 0;
  for (const char c : word) set |= kBit[static_cast<unsigned char>(c)];
  const auto size = static_cast<std::uint32_t>(std::min<std::size_t>(word.size(), 63));
  return set | size << 26;
}

std::size_t SourceStore::memory_bytes() const noexcept {
  std::size_t bytes = places_.bytes() + format_places_.bytes() + entries_.bytes() + more_.bytes() + rings_.bytes() +
                      extras_.bytes() + look_alikes_.bytes() + slots_.capacity() * sizeof(std::uint32_t) +
                      segments_.capacity() * sizeof(Segment) + segment_at_.capacity() * sizeof(std::uint32_t) +
                      heads_.bytes() + tails_.bytes() + sources_.capacity() * sizeof(Source) +
                      long_ends_.capacity() * sizeof(long_ends_[0]) + list_.tokens.capacity() * sizeof(Token) +
                      list_.buffer.capacity() + hits_.capacity() * sizeof(FormatHit);
  for (const Source& source : sources_) {
    bytes += source.text.capacity() + source.amounts.capacity() * sizeof(Amount) +
             source.values.capacity() * sizeof(std::int64_t);
  }
  return bytes;
}

}  // namespace interlock::provenance::internal
