// The scanner's rules as data: what each is called, what it means, how much it weighs, and its patterns.
//
// A rule either carries patterns that run over text (engine "text") or is raised by an analyser that knows more than a
// pattern (engine "code", "flow", "supply", "package"); both have the same description, taxonomy and examples. Rule
// files are JSON (schemas/interlock.scan-rules.v1.json); the shipped ones are embedded from rules/scan. Ids of the
// published scanner (PI-001, SC-003, PE-DELTA-001, EX-002, OBFUSC-001 ...) are kept where the meaning is the same.
// Immutable after loading; thread safe.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "interlock/base/result.h"
#include "interlock/core/finding.h"

namespace interlock::scan {

// An incubating rule warns, and never blocks alone.
enum class Maturity : std::uint8_t { kStable, kIncubating };
enum class Engine : std::uint8_t { kText, kCode, kFlow, kSupply, kPackage };

// Where a text rule looks, as bits (Rule::surfaces). See static/surface.h for what each holds.
using SurfaceSet = std::uint32_t;

struct RuleExample {
  std::string path;  // the file name gives the kind: "SKILL.md", "server.py", "package.json", "mcp-listing.json"
  std::string text;  // bytes: files that are not text are base64 in the rule file ("encoding": "base64")
  std::string note;
  std::vector<std::pair<std::string, std::string>> files = {};  // further files of the example: path, bytes
};

// What a threat class means, and where other lists name it; rules that list no taxonomy have that of their class.
struct ThreatInfo {
  core::ThreatClass threat = core::ThreatClass::kNone;
  std::string title;
  std::string description;
  std::vector<std::string> stride;
  std::vector<std::string> owasp;
  std::vector<std::string> atlas;
};
[[nodiscard]] std::span<const ThreatInfo> Threats();  // T1 to T8, in order

[[nodiscard]] std::string_view NameOf(Maturity maturity) noexcept;  // "stable" "incubating"
[[nodiscard]] std::string_view NameOf(Engine engine) noexcept;      // "text" "code" "flow" "supply" "package"
// Names of the bits that are set, in the order of static/surface.h: "tool-name" "description" ... "hidden" "decoded".
[[nodiscard]] std::vector<std::string_view> SurfaceNames(SurfaceSet surfaces);

struct Rule {
  std::string id;     // "PI-001"
  std::string title;  // "Instruction override"
  core::ThreatClass threat = core::ThreatClass::kNone;
  core::Severity severity = core::Severity::kInfo;
  double confidence = 0.5;  // before context
  core::Nature nature = core::Nature::kHygiene;
  Maturity maturity = Maturity::kIncubating;
  Engine engine = Engine::kText;
  std::string rationale;            // why this matters, for whom
  std::string remedy;               // what to do about it
  std::vector<std::string> stride;  // "Tampering", ...
  std::vector<std::string> owasp;   // "LLM01:2025", "ASI01", ...
  std::vector<std::string> atlas;   // "AML.T0051", ...
  std::vector<std::string> cwe;
  std::vector<RuleExample> positive;
  std::vector<RuleExample> negative;
  // No innocent reading: one such finding where the agent runs or reads it is BLOCK by itself.
  bool decisive = false;

  // Engine "text" only.
  struct Pattern {
    std::string regex;               // RE2; runs over the normalised, lower-cased text of the surface
    std::vector<std::string> words;  // literals of which one must occur (lower case); empty: taken from the regex
    std::string near;                // a second expression that must match within `window` bytes; empty: none
    std::uint32_t window = 160;
    bool across = false;  // `near` may match in another paragraph as well
    std::string unless;   // an expression that must not match in the same sentence; empty: none
    double weight = 1.0;  // times the rule's confidence
  };
  std::vector<Pattern> patterns;
  SurfaceSet surfaces = ~SurfaceSet{0};
};

struct RuleFile {
  std::string name;  // for messages
  std::string bytes;
};

struct RuleLoading {
  bool replace = false;  // as if each of one's own rules said "replaces" (for trying changes of shipped files)
  // What SerializeLiterals gave for the same rules, from a place that nobody else can write to; saves compiling, and is
  // passed over where it does not fit.
  std::string_view literals;
  bool examples = true;  // of the shipped rules: only who tests or explains them reads any
};

struct BakedRules;

class RuleSet {
 public:
  // Reads rule files; all diagnostics at once in the error's message, located. Later files may not repeat an id unless
  // they say "replaces": true. kRuleFormat, kRulePattern.
  [[nodiscard]] static base::Result<RuleSet> Load(std::span<const RuleFile> files);
  // The shipped rules, then the user's own files.
  [[nodiscard]] static base::Result<RuleSet> LoadWithBuiltin(std::span<const RuleFile> own,
                                                             const RuleLoading& how = {});
  // The shipped rules; a broken one is a bug (a test loads them).
  [[nodiscard]] static const RuleSet& Builtin();

  [[nodiscard]] std::span<const Rule> rules() const noexcept;          // by id
  [[nodiscard]] const Rule* Find(std::string_view id) const noexcept;  // nullptr: no such rule
  [[nodiscard]] const std::string& version() const noexcept;  // from the digests of all rule files, 16 hex digits
  [[nodiscard]] std::string SerializeLiterals() const;        // "" : nothing worth keeping

  RuleSet(RuleSet&&) noexcept;
  RuleSet& operator=(RuleSet&&) noexcept;
  ~RuleSet();

  struct Impl;
  [[nodiscard]] const Impl& impl() const noexcept { return *impl_; }  // for the text engine

 private:
  RuleSet();
  static base::Result<RuleSet> Of(BakedRules rules, std::span<const RuleFile> own, const RuleLoading& how);
  std::unique_ptr<Impl> impl_;
};

}  // namespace interlock::scan
