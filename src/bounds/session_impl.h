// What a session holds, for the files that make it up. Private to the module.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "call_leaves.h"
#include "interlock/bounds/session.h"
#include "leaf_text.h"

namespace interlock::bounds {

inline constexpr std::size_t kMaxValueTokens = 512;
inline constexpr float kGrounded = 0.7F;  // share of an argument's words that makes it the request's

struct Piece {
  base::ByteSpan bytes;
  float score = 0.0F;
  bool order = false;
  std::uint16_t words = 0;
  std::uint32_t tokens_begin = 0;
  std::uint32_t tokens_end = 0;
  std::uint32_t stems_begin = 0;
  std::uint32_t stems_end = 0;
};

struct Seen {
  std::uint32_t source = 0;
  std::string tool;
  std::string address;  // arguments of the call, for delegation and evidence
  float best = -20.0F;
  std::vector<Piece> pieces;
  std::vector<std::uint32_t> tokens;  // of all pieces, each piece's sorted
  std::vector<std::uint32_t> stems;
  std::vector<std::uint32_t> span_tokens;  // sorted: of the suspicious spans
  std::vector<base::ByteSpan> spans;
  IntentText span_text;
  float span_words = 0.0F;
  std::uint32_t calls_before = 0;
  bool encoded = false;  // what a result says once decoded, and not as it stands

  [[nodiscard]] std::span<const std::uint32_t> TokensOf(const Piece& piece) const {
    return {tokens.data() + piece.tokens_begin, tokens.data() + piece.tokens_end};
  }
  [[nodiscard]] std::span<const std::uint32_t> StemsOf(const Piece& piece) const {
    return {stems.data() + piece.stems_begin, stems.data() + piece.stems_end};
  }
  [[nodiscard]] bool InSpan(const Piece& piece) const {
    return std::any_of(spans.begin(), spans.end(), [&](const base::ByteSpan& span) {
      return piece.bytes.begin < span.end && span.begin < piece.bytes.end;
    });
  }
};

struct Order {
  float score = 0.0F;
  std::vector<std::uint32_t> stems;
  std::vector<std::uint32_t> tokens;
  std::uint32_t first = 0;  // stem of the first word
};

struct Earlier {
  std::vector<std::vector<std::uint32_t>> leaves;  // tokens of each argument
  std::vector<float> by_request;
  float intent = 0.0F;
};

// A tool as it was asked about, and what the request says of it.
struct KnownTool {
  IntentTool words;
  bool named = false;
  float asked = 0.0F;
  IntentOverlap by_request;
};

// What is said about one argument.
struct LeafFacts {
  std::string pointer;
  std::string_view text;
  std::vector<std::uint32_t> tokens;
  float request = 1.0F;
  float span = 0.0F;
  float clean = 0.0F;
  bool ungrounded = false;
  bool found = false;
  bool address = false;
  bool plain = false;    // an occurrence stands where everybody can read it ...
  bool encoded = false;  // ... or only those who decode it
  // Of the cleanest occurrence that holds most of the value.
  const Seen* seen = nullptr;
  const Piece* piece = nullptr;
  float taint = -9.0F;
};

struct BoundsSession::Impl {
  std::shared_ptr<const BoundsModel> model;
  std::shared_ptr<const injection::SpanFinder> finder;
  BoundsOptions options;
  provenance::SourceIndex sources;
  std::string request;
  bool has_request = false;
  bool delegates = false;
  bool complete = true;
  std::vector<std::uint32_t> request_tokens;
  IntentText request_text;
  std::vector<Seen> seen;                     // untrusted results
  std::vector<std::uint32_t> seen_of_source;  // source -> index in seen, or npos
  std::size_t worst = 0;                      // index in seen of the most suspicious
  float second = -9.0F;
  std::vector<Order> orders;
  std::vector<Earlier> earlier;
  std::uint32_t calls = 0;
  std::uint32_t results = 0;
  std::uint32_t actions = 0;
  std::optional<FlowContext> flow;
  injection::ScanResult scan;

  // The names that were asked about last, read: an agent calls the same few tools again and again.
  mutable std::vector<KnownTool> tools;
  mutable std::size_t oldest_tool = 0;
  mutable std::vector<LeafFacts> judged;  // of the call that was judged last: their memory is used again

  [[nodiscard]] const KnownTool& ToolOf(std::string_view name) const;
  [[nodiscard]] const Seen* Worst() const { return seen.empty() ? nullptr : &seen[worst]; }
  void Remember(Seen& entry, std::string_view text, const injection::ScanResult& found);
  void Observe(const SeenResult& result, std::uint32_t source, std::string_view text,
               const injection::ScanResult& found, bool encoded = false);
  void ObserveDecoded(const SeenResult& result, std::string_view text, const injection::Span* span);
  void Facts(const ProposedCall& call, std::vector<LeafFacts>& out) const;
  [[nodiscard]] std::size_t Rivals(const LeafFacts& fact, Shape shape) const;
  [[nodiscard]] FeatureVector Features(const ProposedCall& call, const std::vector<LeafFacts>& facts) const;
  [[nodiscard]] Judgement Explain(const ProposedCall& call, const std::vector<LeafFacts>& facts,
                                  const FeatureVector& features, Judgement judgement) const;
  [[nodiscard]] bool ByDefinition(const ProposedCall& call, Judgement& judgement) const;
  [[nodiscard]] bool Contradicted(const std::vector<LeafFacts>& facts, Judgement& judgement) const;
  [[nodiscard]] bool TellsSecret(const ProposedCall& call, const std::vector<LeafFacts>& facts,
                                 Judgement& judgement) const;
  [[nodiscard]] bool CarriesAway(const ProposedCall& call, Judgement& judgement) const;
};

}  // namespace interlock::bounds
