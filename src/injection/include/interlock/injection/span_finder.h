// Text that addresses the agent: finds the spans of a result, a description or a file that are orders and not data.
//
//   SpanFinder finder(DefaultSpanModel());
//   ScanResult found = finder.Scan(output);
//   for (const Span& span : found.spans) ...            // bytes of `output`, best first
//   std::string safe = MaskSpans(output, found.spans);  // what the model may read instead
//
// Three parts work together: detection patterns (data, rules/injection), decoded views of the text (entities, escapes,
// base64, hex, look-alikes, invisible characters, words split over fields), each with a map back to the original bytes,
// and a learned model of what a request to an assistant reads like against what data reads like. Numbers, keys and
// punctuation do not count, so that padding an order with data does not hide it.
//
// A score is a log-odds: 0 is undecided at equal odds; from SpanModel::quarantine_threshold() on a model should not
// read the span. Pure; linear in the text, whatever it says; thread safe.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "interlock/base/result.h"
#include "interlock/base/text.h"

namespace interlock::injection {

// Why a span is one, as bits.
using SpanFlags = std::uint32_t;
inline constexpr SpanFlags kSpanLearned = 1u << 0;    // reads like a request to an assistant
inline constexpr SpanFlags kSpanPattern = 1u << 1;    // a detection pattern matched
inline constexpr SpanFlags kSpanEncoded = 1u << 2;    // only after decoding
inline constexpr SpanFlags kSpanHidden = 1u << 3;     // invisible, tag or bidirectional characters
inline constexpr SpanFlags kSpanLookAlike = 1u << 4;  // only after folding look-alikes
inline constexpr SpanFlags kSpanSplit = 1u << 5;      // put together from several fields
inline constexpr SpanFlags kSpanCallLike = 1u << 6;   // a value that parses as a tool call

struct Span {
  base::ByteSpan bytes;  // in the original text
  float score = 0.0F;    // log-odds that this addresses the agent
  SpanFlags flags = 0;
  std::string rule;     // of the strongest pattern; empty: none
  std::string decoded;  // what it says, when that differs from the bytes; cut at 1 KiB
};

// One piece of the text (a line, a field, a sentence) with its own score: what spans are built from.
struct Segment {
  base::ByteSpan bytes;
  float score = 0.0F;
};

// A text that stood in base64 or hexadecimal digits, whatever it says.
struct DecodedText {
  base::ByteSpan bytes;  // of the digits, in the original text
  std::string text;      // cut at 1 KiB
};

struct ScanResult {
  std::vector<Span> spans;           // score > 0, best first, at most ScanOptions::max_spans, not overlapping
  std::vector<Segment> segments;     // in order
  std::vector<DecodedText> decoded;  // the first 8; with ScanOptions::decode
  float max_score = -20.0F;          // of the best span, or of the best segment when there is no span
  bool complete = true;              // false: longer than max_bytes; the rest was not looked at
};

struct ScanOptions {
  std::size_t max_bytes = std::size_t{1} << 20;
  std::size_t max_spans = 64;
  bool patterns = true;
  bool learned = true;
  bool decode = true;
  // Names of the agent's tools: an order that names one weighs more. A finder keeps the lists it saw last prepared,
  // and compares them by value: the same list costs little from its second scan on.
  const std::vector<std::string>* tool_names = nullptr;
  // What the agent or its user wrote themselves, such as the arguments of the call that this is the result of: where
  // the text repeats five words of it in a row, these words are no evidence of the learned part.
  std::string_view echo = {};
};

namespace internal {
struct Access;
}

// Weights of the learned part. Immutable.
class SpanModel {
 public:
  // kInvalidArgument for bytes that are no model of a known version.
  [[nodiscard]] static base::Result<std::shared_ptr<const SpanModel>> Parse(std::string_view bytes);
  [[nodiscard]] std::string Serialize() const;
  // Log-odds of a piece of plain text as it stands; no segmentation.
  [[nodiscard]] float Score(std::string_view text) const;
  // Score of a span from which a model should not read it: chosen on held-out texts when the weights were made.
  [[nodiscard]] float quarantine_threshold() const noexcept;
  ~SpanModel();

 private:
  friend class SpanTrainer;
  friend class SpanFinder;
  SpanModel();
  friend struct internal::Access;
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

// The embedded weights; their model card is docs/models/span-finder.md.
[[nodiscard]] std::shared_ptr<const SpanModel> DefaultSpanModel();

class SpanFinder {
 public:
  explicit SpanFinder(std::shared_ptr<const SpanModel> model);
  ~SpanFinder();
  [[nodiscard]] ScanResult Scan(std::string_view text, const ScanOptions& options = {}) const;

 private:
  struct Prepared;
  std::shared_ptr<const SpanModel> model_;
  std::shared_ptr<Prepared> prepared_;
};

// `text` with each span replaced by a short notice. The rest is byte for byte what it was; a JSON string stays one.
[[nodiscard]] std::string MaskSpans(std::string_view text, const std::vector<Span>& spans);

// Texts made ready for training, so that many trainings on the same ones make them once. Thread safe. What is over
// `max_bytes` is made anew each time.
class SpanTexts {
 public:
  explicit SpanTexts(std::size_t max_bytes = std::size_t{1} << 30);
  ~SpanTexts();

 private:
  friend class SpanTrainer;
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

// Learns a SpanModel. Deterministic for equal input in equal order.
class SpanTrainer {
 public:
  explicit SpanTrainer(std::shared_ptr<SpanTexts> texts = nullptr);
  ~SpanTrainer();
  void AddCommand(std::string_view text, float weight = 1.0F);  // a request, an order
  void AddData(std::string_view text, float weight = 1.0F);     // a result without any
  struct Options {
    std::uint64_t seed = 1;
    int epochs = 6;
    bool augment = true;      // padded copies; case, keys and punctuation do not count anyway
    float quarantine = 4.0F;  // what quarantine_threshold() answers
  };
  [[nodiscard]] std::shared_ptr<const SpanModel> Train(const Options& options) const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace interlock::injection
