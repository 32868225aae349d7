// Credentials that stand in full in what is read or run: several of them, each by a name that says what it is.
//
// One `password = "..."` is an example in nine cases of ten, and a scanner that flags it is switched off. Three
// different ones in one file, none of them a stand-in, are somebody's way of keeping them (CWE-798).
#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "fmt/format.h"
#include "interlock/base/check.h"
#include "interlock/patterns/pattern_set.h"
#include "static/bytes.h"
#include "static/supply.h"
#include "static/supply_internal.h"

namespace interlock::scan {
namespace {

constexpr std::size_t kMaxText = std::size_t{1} << 20;
constexpr std::size_t kSeveral = 3;
constexpr std::size_t kShortest = 8;
constexpr std::size_t kMostHits = 200;

const patterns::PatternSet& Assignments() {
  static const patterns::PatternSet set = [] {
    const patterns::PatternSpec spec{
        .regex =
            R"re((?i)\b[a-z0-9_]{0,40}(?:api_?key|api_?secret|secret_?key|access_?key(?:_?id)?|auth_?token|)re"
            R"re(access_?token|client_?secret|private_?key|password|passwd)["']?\s{0,4}[:=]\s{0,4}(?:"[^"\n\\]{8,200}"|'[^'\n\\]{8,200}'))re",
        .words = {"key", "secret", "token", "passw"},
        .reach = 320};
    auto made = patterns::PatternSet::Compile({&spec, 1}, {.max_hits = kMostHits, .check = false});
    INTERLOCK_CHECK(made.ok(), "a test compiles it");
    return std::move(made.value());
  }();
  return set;
}

// What documentation writes in the place of a credential, or a name of where it is kept.
bool IsStandIn(std::string_view lower) {
  constexpr auto kWords = std::to_array<std::string_view>(
      {"your", "example.", "xxx",    "...",  "placeholder", "change", "replace", "dummy", "fake",  "sample", "insert",
       "env",  "process",  "redact", "***",  "here",        "todo",   "config",  "<",     "{",     "$",      "my-",
       "my_",  "%",        "(",      "test", "default",     " ",      "vault",   "://",   "/run/", "key_id"});
  constexpr auto kEnds = std::to_array<std::string_view>({"token", "key", "secret", "password", "_id"});
  return std::ranges::any_of(kWords, [&](std::string_view w) { return lower.find(w) != std::string_view::npos; }) ||
         std::ranges::any_of(kEnds, [&](std::string_view end) { return lower.ends_with(end); });
}

// "openai/text-embedding-3-small", of a table by whose key is there: words and numbers, as names are made of.
bool IsName(std::string_view value) {
  constexpr std::size_t kShortPart = 4;
  if (value.find('/') == std::string_view::npos) return false;
  std::size_t letters = 0;
  std::size_t size = 0;
  for (std::size_t i = 0; i <= value.size(); ++i) {
    const char c = i < value.size() ? value[i] : '/';
    if (c == '/' || c == '-' || c == '_' || c == '.') {
      if (size > kShortPart && letters != size) return false;
      letters = size = 0;
      continue;
    }
    const bool letter = c >= 'a' && c <= 'z';
    if (!letter && !(c >= '0' && c <= '9')) return false;
    ++size;
    letters += letter ? 1 : 0;
  }
  return true;
}

}  // namespace

void FindWrittenSecrets(const FileContext& file, FileResult& out) {
  const std::string_view text = file.text();
  if (file.reach > core::Reach::kRuntime || text.size() > kMaxText || !IsText(file.type)) return;
  thread_local patterns::PatternScratch scratch;
  std::vector<patterns::PatternHit> hits;
  Assignments().Scan(text, scratch, hits);
  std::vector<std::string> names;
  std::vector<std::string> values;
  std::vector<base::ByteSpan> places;
  for (const patterns::PatternHit& hit : hits) {
    const std::string lower = LowerCase(text.substr(hit.bytes.begin, hit.bytes.end - hit.bytes.begin));
    // "name": "value"
    const std::size_t open = lower.rfind(lower.back(), lower.size() - 2);
    std::string value = lower.substr(open + 1, lower.size() - open - 2);
    std::string name = lower.substr(0, lower.find_first_of("\"' \t:="));
    const std::string_view written = text.substr(hit.bytes.end - value.size() - 1, value.size());
    if (value.size() < kShortest || value == name || IsStandIn(value) || IsName(written)) continue;
    if (std::ranges::find(names, name) != names.end() || std::ranges::find(values, value) != values.end()) continue;
    names.push_back(std::move(name));
    values.push_back(std::move(value));
    places.push_back(hit.bytes);
  }
  if (names.size() < kSeveral) return;
  RawFinding finding;
  finding.rule = "SC-032";
  finding.file = file.index;
  finding.bytes = places.front();
  finding.message = fmt::format("{} credentials stand in full: {}, {}, {}", names.size(), names[0], names[1], names[2]);
  finding.evidence = names[0] + " = \"...\"";  // a report is passed on
  out.findings.push_back(std::move(finding));
}

}  // namespace interlock::scan
