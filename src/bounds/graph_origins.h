// Which sources hold which argument values: word fingerprints, one pass over each source. Private to the module.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "interlock/bounds/graph.h"
#include "interlock/bounds/learn.h"

namespace interlock::bounds {

// Values first, then sources in order. Texts must stay where they are until Clear().
class OriginFinder {
 public:
  explicit OriginFinder(const LearnLimits& limits) : limits_(limits) {}

  void Clear();
  // Returns its ordinal. A value that cannot be traced (no word, or one character) is kept, and found nowhere.
  std::uint32_t AddValue(std::string_view text, std::uint32_t turn);
  [[nodiscard]] bool IsTraceable(std::uint32_t value) const { return values_[value].word_count > 0; }

  struct Hit {
    std::uint32_t value;
    OriginMatch match;
  };
  // Appends the values of turn `from_turn` and later that `text` holds. False: the step limit is passed.
  [[nodiscard]] bool Scan(std::string_view text, std::uint32_t from_turn, std::vector<Hit>& hits);

 private:
  static constexpr std::uint32_t kNone = ~std::uint32_t{0};
  static constexpr std::uint32_t kMaxStamp = kNone / 2;  // then the table starts anew

  struct Chunk {  // of words that stand together without white space and identify something
    std::uint64_t words = 0;
    std::uint64_t pairs = 0;
  };
  struct Value {
    std::string_view text;
    std::uint32_t turn = 0;
    std::uint32_t word_count = 0;
    std::uint32_t long_words = 0;
    std::uint64_t long_mask = 0;
    std::uint32_t first_chunk = 0;
    std::uint32_t chunk_count = 0;
    // Of the source that is being scanned.
    std::uint64_t seen_words = 0;
    std::uint64_t seen_pairs = 0;
    std::size_t first_seen = 0;
    bool touched = false;
  };
  struct Posting {
    std::uint64_t print;
    std::uint32_t value;
    std::uint32_t next = kNone;  // of the same print
    std::uint8_t bit;
    bool is_pair;
  };
  struct Slot {
    std::uint64_t print = 0;
    std::uint32_t first = 0;  // postings
    std::uint32_t last = 0;
    std::uint32_t count = 0;
    std::uint32_t stamp = 0;  // of the last source it was seen in; before first_stamp_: free
  };
  void Build();
  [[nodiscard]] Slot& SlotOf(std::uint64_t print);
  bool Probe(std::uint64_t print, std::size_t at);
  void Mark(Slot& slot, std::size_t at);
  [[nodiscard]] OriginMatch MatchOf(const Value& value, std::string_view text);

  const LearnLimits& limits_;
  std::vector<Value> values_;
  std::vector<Chunk> chunks_;
  std::vector<Posting> postings_;
  std::vector<Slot> slots_;  // of which mask_ + 1 are in use
  std::size_t mask_ = 0;
  std::vector<std::uint32_t> touched_;
  bool built_ = false;
  std::uint32_t stamp_ = 0;        // a new one for each source
  std::uint32_t first_stamp_ = 1;  // of this table
  std::uint64_t steps_ = 0;
};

}  // namespace interlock::bounds
