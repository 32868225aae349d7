// Many expressions over one text at the cost of few: literal words find where an expression may match, RE2 decides.
//
//   Result<PatternSet> set = PatternSet::Compile(specs);
//   PatternScratch scratch;                                  // one a thread
//   std::vector<PatternHit> hits;
//   PatternOutcome outcome = set.value().Scan(text, scratch, hits);
//
// What a hit is does not depend on the literal matcher (Vectorscan where the machine has it, else our own): wherever
// one of a pattern's words occurs, in whatever ASCII case, the expression is searched in the bytes from `reach` before
// the word to `reach` after it (windows that touch are one), with `^`, `$` and `\b` seeing the whole text. All matches
// that do not overlap, leftmost first, are hits; empty matches are not. A pattern without words is searched in the
// whole text every time.
//
// Bounded on hostile text: literals are linear, RE2 is linear, and the bytes that expressions may look at are limited
// as a multiple of the text; past that `complete` is false. Hits of one pattern are capped.
//
// Thread rule: a PatternSet is immutable, any number of threads may scan with it, each with its own PatternScratch.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "interlock/base/result.h"
#include "interlock/base/text.h"

namespace interlock::patterns {

inline constexpr std::uint32_t kWholeText = 0xffffffff;  // PatternSpec::reach without limit

struct PatternSpec {
  std::string regex;  // RE2, UTF-8
  // Each match contains, or has within `reach`, one of these: 2 to 255 bytes, compared without regard to ASCII case
  // (only the first 48 bytes count). Empty: taken from the expression where it has any (three ASCII bytes or more).
  std::vector<std::string> words;
  // Bytes before and after a word in which a match must lie. A match longer than that is cut or missed.
  std::uint32_t reach = 400;
  // What Derive() gave for this expression and these words, from whoever wrote them: saves working it out in every run.
  // Copied. Taken on trust: that of another expression loses matches.
  std::string_view derived = {};
};

enum class PatternBackend : std::uint8_t {
  kAuto,        // Vectorscan where it is and there are a hundred megabytes to scan; else ours
  kPortable,    // our own
  kVectorscan,  // kPatternBackend if it is not there
};

struct PatternOptions {
  PatternBackend backend = PatternBackend::kAuto;
  std::uint32_t max_hits = 64;                           // of one pattern in one text
  std::int64_t max_memory = std::int64_t{4} << 20;       // of one expression's automata
  std::uint64_t confirm_floor = std::uint64_t{4} << 20;  // bytes that expressions may look at: floor ...
  std::uint32_t confirm_factor = 64;                     // ... plus so many times the text
  // Expressions are compiled when first needed. True also tries each one here, so that a wrong one is an error now;
  // false is for specs that a test has tried already.
  bool check = true;
  // What `SerializeLiterals` gave for the same words, from a place that nobody else can write to: saves compiling.
  // Ignored when it does not fit (other words, other version, other processor).
  std::string_view literals = {};
};

struct PatternHit {
  std::uint32_t pattern = 0;  // index of its spec
  base::ByteSpan bytes;
  auto operator<=>(const PatternHit&) const = default;
};

struct PatternOutcome {
  bool complete = true;  // false: expressions were to look at more than the limit; later patterns may be missing
  bool capped = false;   // a pattern had more than max_hits
  std::uint32_t candidates = 0;  // patterns whose words occurred (or that have none)
  std::uint64_t looked = 0;      // bytes that expressions looked at
};

// Buffers of one thread; fits any PatternSet, grows as needed. Not thread safe, not to be used by two scans at once.
class PatternScratch {
 public:
  PatternScratch();
  PatternScratch(PatternScratch&&) noexcept;
  PatternScratch& operator=(PatternScratch&&) noexcept;
  ~PatternScratch();

 private:
  friend class PatternSet;
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

class PatternSet {
 public:
  // kPatternSyntax (place.offset is the index of the spec) for an expression that RE2 refuses, that matches the empty
  // text, or for words that are too short or too long; kPatternBackend when the literals cannot be compiled.
  [[nodiscard]] static base::Result<PatternSet> Compile(std::span<const PatternSpec> specs,
                                                        const PatternOptions& options = {});
  // What a scan wants to know of a spec beside the spec itself, in bytes of its own; empty where there is nothing that
  // can be said so.
  [[nodiscard]] static std::string Derive(const PatternSpec& spec, const PatternOptions& options = {});
  // What is wrong with one spec, as Compile would say it.
  [[nodiscard]] static base::Status Check(const PatternSpec& spec, const PatternOptions& options = {});
  // Words of which one must occur (in whatever ASCII case) in every text that `regex` matches; empty: none known, or
  // not a valid expression. For text that is not lower case or NFKC, `(?i)` also matches look-alike letters (U+212A for
  // k) that words do not.
  [[nodiscard]] static std::vector<std::string> WordsOf(std::string_view regex);

  // Appends the hits, by pattern and then by place. Texts of 4 GiB and more are not scanned: complete is false.
  // `borders`: ascending offsets over which no match reaches; what lies between two of them is searched by itself (a
  // word's `reach` goes on behind them, and `^`, `$` and `\b` see the whole text).
  PatternOutcome Scan(std::string_view text, PatternScratch& scratch, std::vector<PatternHit>& out,
                      std::span<const std::uint32_t> borders = {}) const;

  [[nodiscard]] std::size_t size() const noexcept;
  [[nodiscard]] PatternBackend backend() const noexcept;  // never kAuto: the one for large texts
  // Searched in the whole text every time, having no words: costly, and worth a look by who wrote it.
  [[nodiscard]] bool always_runs(std::size_t pattern) const noexcept;
  [[nodiscard]] std::span<const std::string> words(std::size_t pattern) const noexcept;
  // For PatternOptions::literals; empty when there is nothing worth keeping. Compiles what scans did without so far.
  [[nodiscard]] std::string SerializeLiterals() const;

  PatternSet(PatternSet&&) noexcept;
  PatternSet& operator=(PatternSet&&) noexcept;
  ~PatternSet();

 private:
  struct Impl;
  explicit PatternSet(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace interlock::patterns
