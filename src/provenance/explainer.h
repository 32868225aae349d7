// One lookup in a SourceStore: the pieces of a value and where they stand in the sources.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "formats.h"
#include "interlock/provenance/source_index.h"
#include "source_store.h"
#include "tokens.h"

namespace interlock::provenance::internal {

// A stretch of the value's words that a source explains.
struct Piece {
  std::uint32_t source = 0;
  std::uint32_t first = 0;  // words of the value
  std::uint32_t last = 0;
  MatchKind kind = MatchKind::kSubstring;
  float strength = 0;
  base::ByteSpan in_source;
  base::ByteSpan in_value;
  std::uint32_t before = kNone;  // piece of the same source
};

class Explainer {
 public:
  explicit Explainer(const SourceStore& store) : store_(store), tokenizer_(store.hash()) {}

  [[nodiscard]] Explanation Explain(std::string_view value, const ExplainOptions& options);
  // Of the last value: bytes that count for coverage.
  [[nodiscard]] std::uint64_t content_bytes() const noexcept { return content_bytes_; }
  [[nodiscard]] std::uint64_t steps() const noexcept { return steps_; }

 private:
  struct PerSource {
    std::uint32_t epoch = 0;
    std::uint32_t reach = 0;       // words of the value before this one are explained or given up
    std::uint32_t newest = kNone;  // its newest piece
    bool whole = false;            // the whole value is explained
  };
  // What the words [first, last) of the value weigh. Many sources have the same words.
  struct Weight {
    std::uint32_t last = 0;
    float substance = 0;
    std::uint64_t content = 0;
  };
  struct Part {
    std::uint32_t first;
    std::uint32_t last;
  };
  // What a word of the value says alone, wherever it stands: most of what a long value is explained by.
  struct Lone {
    bool by_any = false;
    bool by_request = false;
    bool identifies = false;  // as a piece: see IsIdentifying
    MatchKind kind = MatchKind::kSubstring;
    float strength = 0;
  };

  void Start(std::string_view value);
  void FindJoints();
  void FindParts();
  PerSource& Of(std::uint32_t source) {
    PerSource& it = per_source_.data()[source];
    if (it.epoch != epoch_) it = {.epoch = epoch_, .reach = 0, .newest = kNone, .whole = false};
    return it;
  }
  [[nodiscard]] bool Counts(std::uint32_t source) const;
  [[nodiscard]] bool Counts(const Segment& segment) const {
    return segment.kind != SourceKind::kResult || segment.turn < before_turn_;
  }
  bool Spend(std::uint64_t steps) {
    steps_ += steps;
    if (steps_ > budget_) exhausted_ = true;
    return !exhausted_;
  }

  void FindRuns();
  void GatherPair(std::uint32_t first, std::uint32_t anchor, std::vector<std::uint32_t>& places);
  void Gather(std::uint32_t anchor, std::vector<std::uint32_t>& places);
  [[nodiscard]] bool Identifies(std::uint32_t word) const;
  [[nodiscard]] Lone LoneOf(std::uint32_t word);
  void VisitRuns(std::uint32_t anchor);
  [[nodiscard]] bool IsPartOfNumber(const Segment& segment, std::uint32_t place, std::uint32_t word) const;
  void TakeLone(const Segment& segment, std::uint32_t place, std::uint32_t word, const Lone& lone, PerSource& state);
  void TakeRun(const Segment& segment, std::uint32_t place, std::uint32_t first, std::uint32_t last);
  bool TakeWhole(const Segment& segment, std::uint32_t place, bool exact_only);
  [[nodiscard]] bool IsExact(const Segment& segment, std::uint32_t place) const;

  void FindFormatsInValue();
  void LookUpFormat(const FormatHit& hit);
  void TakeFormat(const FormatHit& hit, std::uint32_t source, base::ByteSpan in_source);
  void LookUpWordAsFormat(const FormatHit& hit, std::string_view word);

  void FindJoined();
  void FindMisspelled();
  void FindArithmetic();
  void SplitWord(std::uint32_t word);
  bool TakeNeighbours(std::uint32_t word, std::uint32_t first_entry, std::uint32_t second_entry);
  bool TakeInitial(std::uint32_t word, std::uint32_t entry);
  void JoinWords(std::uint32_t first);
  void TakeMisspelled(std::uint32_t word, std::uint32_t entry, std::uint32_t distance);
  void ComputeFrom(std::uint32_t source, std::int64_t wanted, const std::vector<std::int64_t>& percents);
  [[nodiscard]] bool Explains(std::uint32_t source, std::uint32_t first, std::uint32_t last);

  void TakePiece(std::uint32_t source, MatchKind kind, float quality, base::ByteSpan in_source, std::uint32_t first,
                 std::uint32_t last);
  [[nodiscard]] MatchKind KindOf(std::uint32_t first, std::uint32_t last) const;
  [[nodiscard]] float StrengthOf(MatchKind kind, float quality, std::uint32_t first, std::uint32_t last);
  void CountLabels(core::LabelSet labels, float strength, bool identifies) {
    if (strength < kTrivialStrength) return;
    labels_ |= labels;
    if (identifies) identified_ |= labels;
  }
  void Cover(SourceKind kind, std::uint32_t first, std::uint32_t last);
  [[nodiscard]] bool IsCovered(std::uint32_t word) const { return cover_[word] != 0; }
  [[nodiscard]] const Weight& WeightOf(std::uint32_t first, std::uint32_t last);
  [[nodiscard]] float Substance(std::uint32_t first, std::uint32_t last) const;
  [[nodiscard]] std::uint64_t Content(std::uint32_t first, std::uint32_t last) const;
  [[nodiscard]] base::ByteSpan ValueSpan(std::uint32_t first, std::uint32_t last) const;
  [[nodiscard]] base::ByteSpan SourceSpan(std::uint32_t first_place, std::uint32_t last_place) const;
  [[nodiscard]] const std::string& WordAt(std::uint32_t place);
  [[nodiscard]] bool IsIdentifying(base::ByteSpan in_value) const;
  void Select(Explanation& out);
  void KeepStrongest(std::size_t wholes);

  const SourceStore& store_;
  Tokenizer tokenizer_;
  TokenList list_;
  std::vector<FormatHit> hits_;
  std::vector<std::uint32_t> ids_;
  std::vector<char> stop_;
  std::vector<char> joined_before_;  // of words of digits: see IsPartOfNumber
  std::vector<char> joined_after_;
  std::vector<unsigned char> cover_;
  std::vector<Part> parts_;
  std::vector<PerSource> per_source_;
  std::vector<Weight> weights_;  // by first word: the last that was asked for
  std::vector<Piece> pieces_;
  std::string word_;
  std::vector<std::uint32_t> order_;
  std::vector<float> strengths_;  // of pieces, to tell which can be among the strongest
  std::vector<std::uint32_t> visits_;
  std::vector<std::uint32_t> next_visits_;
  std::vector<std::uint64_t> pair_hashes_;  // of each word and the next
  std::string_view value_;
  ExplainOptions options_;
  std::uint64_t before_turn_ = 0;  // results of this turn and later ones do not count
  core::LabelSet labels_ = 0;
  core::LabelSet identified_ = 0;
  std::uint32_t epoch_ = 0;
  std::uint64_t content_bytes_ = 0;
  bool only_stops_ = false;
  bool has_space_ = false;
  bool exhausted_ = false;
  bool any_direct_ = false;  // some source has the whole value as it is
  bool any_whole_ = false;   // some piece is the whole value
  std::uint64_t steps_ = 0;
  std::uint64_t budget_ = 0;
};

}  // namespace interlock::provenance::internal
