// Where did this argument come from? For every leaf of a call's arguments: which spans of the user's request, and of
// which earlier results, explain it, how well, and at which offsets; or nothing does, and the model made it up.
//
//   SourceIndex index(options);
//   index.Add({.kind = SourceKind::kRequest, .labels = core::kLabelRequest}, request);
//   index.Add({.kind = SourceKind::kResult, .call = 0, .turn = 0, .labels = core::kLabelUntrusted}, output);
//   Explanation e = index.Explain(leaf, {.before_turn = 1});
//
// Ways to match, strongest first: exact (bytes), canonical (case, white space, NFKC, invisible characters, number
// spelling), format (the same IBAN, e-mail address, URL or a part of it, phone, date, amount, path, identifier),
// substring (a run of the value's words), derived (arithmetic on amounts, concatenation, case, reformatting) and fuzzy
// (a misspelling). A long value is explained piece by piece: several matches, each with its place in the value.
//
// Incremental: adding a result is linear in its length; a lookup is bounded by its options whatever was added. Over
// `max_bytes` nothing more is added and every answer says `complete = false`: absence then proves nothing. Work depends
// only on lengths, never on repeated or hostile content. Pure; not thread safe; one a session.
//
// Source: Agent-Sentry, section 4.4 (argument provenance); value-level offsets and strengths are ours
// (docs/differences.md).
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <memory>
#include <string_view>
#include <vector>

#include "interlock/base/json.h"
#include "interlock/base/text.h"
#include "interlock/core/call.h"

namespace interlock::provenance {

namespace internal {
struct SourceIndexPeer;  // tests
}

enum class SourceKind : std::uint8_t { kRequest, kResult, kOther };
enum class MatchKind : std::uint8_t { kExact, kCanonical, kFormat, kSubstring, kDerived, kFuzzy };
[[nodiscard]] std::string_view NameOf(MatchKind kind) noexcept;

// A match under this strength says next to nothing: "true", "3", "of". It is reported, but lends no labels.
inline constexpr float kTrivialStrength = 0.2F;

inline constexpr std::uint32_t kNoTurn = std::numeric_limits<std::uint32_t>::max();

struct SourceInfo {
  SourceKind kind = SourceKind::kOther;
  std::uint32_t call = 0;  // ordinal of the call whose result this is
  std::uint32_t turn = 0;  // ordinal of the assistant message that made that call; 0 for a request
  core::LabelSet labels = 0;
};

struct SourceMatch {
  std::uint32_t source = 0;  // what Add returned
  MatchKind kind = MatchKind::kExact;
  float strength = 0.0F;     // (0, 1]; 1 = the whole value, byte for byte
  base::ByteSpan in_source;  // bytes of the text as it was added
  base::ByteSpan in_value;   // bytes of the leaf's text (a number's spelling)
};

struct Explanation {
  // The first sources that explain the value and the newest, at most kMaxMatches in all, in the order they were added;
  // for one source the strongest matches, and for pieces of a long value one match a piece.
  std::vector<SourceMatch> matches;
  core::LabelSet labels = 0;  // union over every source that explains it (or a piece), beyond the cap too
  // Those of them that have the whole value, or a part that identifies: six bytes or more with a digit or one of
  // @ : / . _ - +, or sixteen bytes of any text. Misspellings do not count.
  core::LabelSet identified = 0;
  // Bytes of the value, without white space and punctuation, that some match explains, as a share of all: by requests,
  // by results, by anything.
  float by_request = 0.0F;
  float by_results = 0.0F;
  float covered = 0.0F;
  bool complete = true;
};

struct ExplainOptions {
  std::uint32_t before_turn = kNoTurn;  // results of this turn and later ones do not count (parallel calls are blind
                                        // to each other); kNoTurn: everything added
  bool fuzzy = true;
  bool derived = true;
};

struct SourceIndexOptions {
  std::array<std::uint64_t, 2> key{};             // of the hash tables: hostile text cannot aim at collisions
  std::size_t max_bytes = std::size_t{64} << 20;  // of text, all sources together
  std::size_t max_source_bytes = std::size_t{8} << 20;
};

class SourceIndex {
 public:
  static constexpr std::size_t kMaxMatches = 16;

  explicit SourceIndex(SourceIndexOptions options = {});
  SourceIndex(SourceIndex&&) noexcept;
  SourceIndex& operator=(SourceIndex&&) noexcept;
  ~SourceIndex();

  // Copies `text`. Returns its ordinal, also for text that did not fit (see complete()).
  std::uint32_t Add(const SourceInfo& info, std::string_view text);
  [[nodiscard]] Explanation Explain(std::string_view value, const ExplainOptions& options = {}) const;
  // A string, number or boolean; for an array or object the answers of its leaves joined (offsets then count from the
  // start of each leaf).
  [[nodiscard]] Explanation Explain(base::JsonValue leaf, const ExplainOptions& options = {}) const;

  [[nodiscard]] std::string_view text(std::uint32_t source) const noexcept;
  [[nodiscard]] const SourceInfo& info(std::uint32_t source) const noexcept;
  [[nodiscard]] std::size_t size() const noexcept;          // sources
  [[nodiscard]] std::size_t memory_bytes() const noexcept;  // texts included
  [[nodiscard]] bool complete() const noexcept;

 private:
  friend struct internal::SourceIndexPeer;
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace interlock::provenance
