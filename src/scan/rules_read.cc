#include "rules_read.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "interlock/base/check.h"
#include "interlock/base/text.h"
#include "interlock/patterns/pattern_set.h"
#include "re2/re2.h"

namespace interlock::embedded {
std::string_view Find_scan_rules(std::string_view file);  // generated: cmake/Embed.cmake
std::string_view Name_scan_rules(std::size_t i);
}  // namespace interlock::embedded

namespace interlock::scan {
namespace {

using base::ErrorCode;
using base::JsonValue;

constexpr std::size_t kMaxDiagnostics = 50;
constexpr std::size_t kMaxRules = 5000;
constexpr std::size_t kMaxPatterns = 200;   // of one rule
constexpr std::size_t kMaxListed = 200;     // strings of a list
constexpr std::uint32_t kMaxWindow = 4000;  // bytes
constexpr std::int64_t kRegexMemory = std::int64_t{4} << 20;

std::string Quoted(std::string_view text) { return "`" + base::Printable(text, 80) + "`"; }

base::SourcePlace PlaceOf(const RuleFile& file, std::size_t offset) {
  base::SourcePlace place{.file = file.name, .line = 1, .column = 1, .offset = offset};
  for (std::size_t i = 0; i < std::min(offset, file.bytes.size()); ++i) {
    ++place.column;
    if (file.bytes[i] == '\n') {
      ++place.line;
      place.column = 1;
    }
  }
  return place;
}

std::optional<std::string> DecodeBase64(std::string_view text) {
  std::string out;
  std::uint32_t bits = 0;
  int count = 0;
  for (const char c : text) {
    std::uint32_t value = 0;
    if (c >= 'A' && c <= 'Z')
      value = static_cast<std::uint32_t>(c - 'A');
    else if (c >= 'a' && c <= 'z')
      value = static_cast<std::uint32_t>(c - 'a') + 26;
    else if (c >= '0' && c <= '9')
      value = static_cast<std::uint32_t>(c - '0') + 52;
    else if (c == '+')
      value = 62;
    else if (c == '/')
      value = 63;
    else if (c == '=' || c == '\n')
      continue;
    else
      return std::nullopt;
    bits = (bits << 6U) | value;
    count += 6;
    if (count >= 8) {
      count -= 8;
      out.push_back(static_cast<char>((bits >> static_cast<unsigned>(count)) & 0xffU));
    }
  }
  return out;
}

// Reads one rule object; each problem is reported once, and reading goes on.
class RuleReader {
 public:
  RuleReader(RuleDiagnostics& diagnostics, JsonValue object, RuleReading how)
      : diagnostics_(diagnostics), object_(object), how_(how) {}

  bool Read(ReadRule& out);

 private:
  void Bad(JsonValue at, std::string message, ErrorCode code = ErrorCode::kRuleFormat) {
    good_ = false;
    const std::string id(object_.Find("id").string());
    diagnostics_.Add(code, (at.exists() ? at : object_).offset(),
                     id.empty() ? std::move(message) : "rule " + Quoted(id) + ": " + message);
  }
  std::string Text(JsonValue from, std::string_view key, bool required, std::size_t min) {
    const JsonValue value = from.Find(key);
    if (!value.exists() && !required) return {};
    if (!value.is_string() || value.string().size() < min) {
      Bad(value.exists() ? value : from, fmt::format("`{}` must be a text of at least {} bytes", key, min));
    }
    return std::string(value.string());
  }
  template <class T>
  T Named(std::string_view key, std::optional<T> (*parse)(std::string_view) noexcept, T fallback) {
    const JsonValue value = object_.Find(key);
    if (const std::optional<T> found = value.is_string() ? parse(value.string()) : std::nullopt) return *found;
    Bad(value, fmt::format("`{}` {}", key, value.exists() ? "is none of the known names" : "is missing"));
    return fallback;
  }
  bool Flag(JsonValue from, std::string_view key) {
    const JsonValue value = from.Find(key);
    if (value.exists() && !value.is_bool()) Bad(value, fmt::format("`{}` must be true or false", key));
    return value.AsBool().value_or(false);
  }
  double Number(JsonValue from, std::string_view key, std::optional<double> fallback, double min, double max) {
    const JsonValue value = from.Find(key);
    if (!value.exists() && fallback) return *fallback;
    const std::optional<double> number = value.AsDouble();
    if (!number || *number < min || *number > max) {
      Bad(value.exists() ? value : from, fmt::format("`{}` must be a number from {} to {}", key, min, max));
      return min;
    }
    return *number;
  }
  std::vector<std::string> Texts(JsonValue from, std::string_view key, std::size_t min_bytes = 1) {
    std::vector<std::string> texts;
    const JsonValue value = from.Find(key);
    if (!value.exists()) return texts;
    bool good = value.is_array() && value.size() <= kMaxListed;
    if (good) {
      for (const JsonValue item : value) {
        good = good && item.is_string() && item.string().size() >= min_bytes;
        texts.emplace_back(item.string());
      }
    }
    if (!good) Bad(value, fmt::format("`{}` must be a list of at most {} texts", key, kMaxListed));
    return texts;
  }
  void OnlyKeys(JsonValue from, std::span<const std::string_view> known) {
    for (auto it = from.begin(); it != from.end(); ++it) {
      if (std::find(known.begin(), known.end(), it.key()) == known.end()) Bad(*it, "unknown key " + Quoted(it.key()));
    }
  }
  void Regex(JsonValue from, std::string_view key, std::string& out, bool may_be_empty);
  void Patterns(Rule& rule);
  void Surfaces(Rule& rule);
  std::vector<RuleExample> Examples(std::string_view key);

  RuleDiagnostics& diagnostics_;
  JsonValue object_;
  RuleReading how_;
  bool good_ = true;
};

void RuleReader::Regex(JsonValue from, std::string_view key, std::string& out, bool may_be_empty) {
  const JsonValue value = from.Find(key);
  if (!value.exists() && may_be_empty) return;
  out = Text(from, key, true, 1);
  if (!how_.check || out.empty()) return;
  re2::RE2::Options options;
  options.set_log_errors(false);
  options.set_max_mem(kRegexMemory);
  const re2::RE2 regex(out, options);
  if (!regex.ok()) Bad(value, fmt::format("`{}`: {}", key, regex.error()), ErrorCode::kRulePattern);
}

void RuleReader::Patterns(Rule& rule) {
  constexpr std::array<std::string_view, 7> kKeys = {"regex", "words", "near", "window", "across", "unless", "weight"};
  const JsonValue list = object_.Find("patterns");
  if (rule.engine != Engine::kText) {
    if (list.exists()) Bad(list, "only rules of engine `text` have `patterns`");
    return;
  }
  if (!list.is_array() || list.size() == 0 || list.size() > kMaxPatterns) {
    Bad(list, fmt::format("`patterns` must be a list of 1 to {}", kMaxPatterns));
    return;
  }
  for (const JsonValue item : list) {
    if (!item.is_object()) {
      Bad(item, "a pattern must be an object");
      continue;
    }
    OnlyKeys(item, kKeys);
    Rule::Pattern pattern;
    Regex(item, "near", pattern.near, true);
    Regex(item, "unless", pattern.unless, true);
    pattern.regex = Text(item, "regex", true, 2);
    pattern.words = Texts(item, "words", 2);
    pattern.window = static_cast<std::uint32_t>(Number(item, "window", pattern.window, 1, kMaxWindow));
    pattern.across = Flag(item, "across");
    pattern.weight = Number(item, "weight", pattern.weight, 0.001, 2);
    if (how_.check) {
      const base::Status status = patterns::PatternSet::Check({.regex = pattern.regex, .words = pattern.words});
      if (!status.ok()) Bad(item.Find("regex"), status.error().message(), ErrorCode::kRulePattern);
    }
    rule.patterns.push_back(std::move(pattern));
  }
}

void RuleReader::Surfaces(Rule& rule) {
  const JsonValue list = object_.Find("surfaces");
  if (!list.exists()) return;
  if (rule.engine != Engine::kText) Bad(list, "only rules of engine `text` have `surfaces`");
  rule.surfaces = 0;
  for (const std::string& name : Texts(object_, "surfaces")) {
    const std::optional<SurfaceSet> bit = SurfaceFromName(name);
    if (!bit) Bad(list, "no surface is called " + Quoted(name));
    rule.surfaces |= bit.value_or(0);
  }
}

std::vector<RuleExample> RuleReader::Examples(std::string_view key) {
  constexpr std::array<std::string_view, 5> kKeys = {"path", "text", "note", "encoding", "files"};
  std::vector<RuleExample> examples;
  const JsonValue list = object_.Find(key);
  if (!list.is_array() || list.size() == 0 || list.size() > kMaxListed) {
    Bad(list, fmt::format("`{}` must be a list of at least one example", key));
    return examples;
  }
  for (const JsonValue item : list) {
    if (!item.is_object()) {
      Bad(item, "an example must be an object with `path` and `text`");
      continue;
    }
    OnlyKeys(item, kKeys);
    RuleExample example;
    example.path = Text(item, "path", true, 1);
    example.text = Text(item, "text", true, 1);
    example.note = Text(item, "note", false, 0);
    const JsonValue encoding = item.Find("encoding");
    const bool encoded = encoding.string() == "base64";
    if (encoding.exists() && !encoded) Bad(encoding, "`encoding` can only be `base64`");
    const auto decode = [&](std::string& bytes) {
      if (!encoded) return;
      const std::optional<std::string> decoded = DecodeBase64(bytes);
      if (!decoded) Bad(item, "not base64");
      bytes = decoded.value_or(std::string());
    };
    decode(example.text);
    const JsonValue files = item.Find("files");
    if (files.exists() && !files.is_object()) Bad(files, "`files` must be an object of paths and texts");
    for (auto it = files.begin(); it != files.end(); ++it) {
      example.files.emplace_back(it.key(), (*it).string());
    }
    examples.push_back(std::move(example));
  }
  return examples;
}

bool RuleReader::Read(ReadRule& out) {
  constexpr std::array<std::string_view, 20> kKeys = {"id",         "title",    "replaces", "threat",   "severity",
                                                      "confidence", "nature",   "maturity", "engine",   "rationale",
                                                      "remedy",     "stride",   "owasp",    "atlas",    "cwe",
                                                      "positive",   "negative", "decisive", "patterns", "surfaces"};
  OnlyKeys(object_, kKeys);
  Rule& rule = out.rule;
  rule.id = Text(object_, "id", true, 4);
  if (!std::all_of(rule.id.begin(), rule.id.end(),
                   [](char c) { return (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-'; })) {
    Bad(object_.Find("id"), "`id` has other characters than A-Z, 0-9 and -");
  }
  rule.title = Text(object_, "title", true, 4);
  rule.threat = Named("threat", core::ThreatClassFromName, core::ThreatClass::kT1);
  if (rule.threat == core::ThreatClass::kNone) Bad(object_.Find("threat"), "`threat` must be T1 to T8");
  rule.severity = Named("severity", core::SeverityFromName, core::Severity::kInfo);
  rule.confidence = Number(object_, "confidence", std::nullopt, 0, 1);
  rule.nature = Named("nature", core::NatureFromName, core::Nature::kHygiene);
  rule.maturity = Named("maturity", MaturityFromName, Maturity::kIncubating);
  rule.engine = Named("engine", EngineFromName, Engine::kText);
  rule.rationale = Text(object_, "rationale", true, 20);
  rule.remedy = Text(object_, "remedy", true, 6);
  rule.stride = Texts(object_, "stride");
  rule.owasp = Texts(object_, "owasp");
  rule.atlas = Texts(object_, "atlas");
  rule.cwe = Texts(object_, "cwe");
  if (how_.examples) {
    rule.positive = Examples("positive");
    rule.negative = Examples("negative");
  }
  rule.decisive = Flag(object_, "decisive");
  out.replaces = Flag(object_, "replaces");
  if (rule.decisive && rule.nature != core::Nature::kMalicious) {
    Bad(object_.Find("decisive"), "only a `malicious` rule can be decisive");
  }
  Patterns(rule);
  Surfaces(rule);
  return good_;
}

}  // namespace

void RuleDiagnostics::Add(ErrorCode code, std::size_t offset, std::string message) {
  if (lines_.size() >= kMaxDiagnostics) {
    ++left_out_;
    return;
  }
  lines_.push_back({code, PlaceOf(*file_, offset), std::move(message)});
}

base::Error RuleDiagnostics::ToError() const {
  INTERLOCK_CHECK(!lines_.empty(), "asked only when something is wrong");
  // A wrong form is the graver error: the expressions of such a file may not even have been read.
  const auto first =
      std::find_if(lines_.begin(), lines_.end(), [](const Line& line) { return line.code == ErrorCode::kRuleFormat; });
  const Line& chosen = first == lines_.end() ? lines_.front() : *first;
  if (lines_.size() == 1) return base::Error(chosen.code, chosen.message, chosen.place);
  std::string message = fmt::format("{} diagnostics", lines_.size() + left_out_);
  for (const Line& line : lines_) {
    message += fmt::format("\n  {}:{}:{}: {}", line.place.file, line.place.line, line.place.column, line.message);
  }
  if (left_out_ > 0) message += fmt::format("\n  ... and {} more", left_out_);
  return base::Error(chosen.code, std::move(message), chosen.place);
}

void ReadRuleFile(const RuleFile& file, RuleReading how, RuleDiagnostics& diagnostics, std::vector<ReadRule>& out) {
  diagnostics.SetFile(&file);
  const auto doc = base::JsonDoc::Parse(file.bytes);
  if (!doc.ok()) {
    const base::Error& error = doc.error();
    diagnostics.Add(ErrorCode::kRuleFormat, error.place().offset,
                    fmt::format("{} {}{}{}", error.id(), base::InfoOf(error.code()).title,
                                error.message().empty() ? "" : ": ", error.message()));
    return;
  }
  const JsonValue root = doc.value().root();
  if (root.Find("schema").string() != kRulesSchema) {
    diagnostics.Add(ErrorCode::kRuleFormat, root.Find("schema").exists() ? root.Find("schema").offset() : 0,
                    fmt::format("`schema` must be \"{}\"", kRulesSchema));
    return;
  }
  for (auto it = root.begin(); it != root.end(); ++it) {
    if (it.key() != "schema" && it.key() != "rules") {
      diagnostics.Add(ErrorCode::kRuleFormat, (*it).offset(), "unknown key " + Quoted(it.key()));
    }
  }
  const JsonValue rules = root.Find("rules");
  if (!rules.is_array() || rules.size() == 0 || rules.size() > kMaxRules) {
    diagnostics.Add(ErrorCode::kRuleFormat, rules.exists() ? rules.offset() : 0,
                    fmt::format("`rules` must be a list of 1 to {}", kMaxRules));
    return;
  }
  for (const JsonValue item : rules) {
    if (!item.is_object()) {
      diagnostics.Add(ErrorCode::kRuleFormat, item.offset(), "a rule must be an object");
      continue;
    }
    ReadRule read;
    read.file = &file;
    read.offset = item.offset();
    if (RuleReader(diagnostics, item, how).Read(read)) out.push_back(std::move(read));
  }
}

// Other data (taxonomy, catalogue) lies in the same folder; rule files say that they are.
std::vector<RuleFile> ShippedRuleFiles() {
  std::vector<RuleFile> files;
  for (std::size_t i = 0; !embedded::Name_scan_rules(i).empty(); ++i) {
    const std::string_view name = embedded::Name_scan_rules(i);
    const std::string_view bytes = embedded::Find_scan_rules(name);
    if (bytes.substr(0, 200).find(kRulesSchema) == std::string_view::npos) continue;
    files.push_back({"rules/scan/" + std::string(name), std::string(bytes)});
  }
  return files;
}

namespace {

std::vector<ThreatInfo> ReadTaxonomy(std::string_view json) {
  const auto doc = base::JsonDoc::Parse(json);
  INTERLOCK_CHECK(doc.ok(), "the shipped taxonomy is JSON");
  const auto texts = [](JsonValue list) {
    std::vector<std::string> out;
    for (const JsonValue item : list) out.emplace_back(item.string());
    return out;
  };
  std::vector<ThreatInfo> threats;
  for (const JsonValue item : doc.value().root().Find("threats")) {
    const auto threat = core::ThreatClassFromName(item.Find("id").string());
    INTERLOCK_CHECK(threat.has_value(), "the shipped taxonomy names threat classes");
    threats.push_back({*threat, std::string(item.Find("title").string()),
                       std::string(item.Find("description").string()), texts(item.Find("stride")),
                       texts(item.Find("owasp")), texts(item.Find("atlas"))});
  }
  INTERLOCK_CHECK(threats.size() == 8, "the shipped taxonomy names eight classes");
  return threats;
}

}  // namespace

std::span<const ThreatInfo> Threats() {
  static const std::vector<ThreatInfo> threats = ReadTaxonomy(embedded::Find_scan_rules("taxonomy.json"));
  return threats;
}

void FillTaxonomy(Rule& rule) {
  for (const ThreatInfo& threat : Threats()) {
    if (threat.threat != rule.threat) continue;
    if (rule.stride.empty()) rule.stride = threat.stride;
    if (rule.owasp.empty()) rule.owasp = threat.owasp;
    if (rule.atlas.empty()) rule.atlas = threat.atlas;
  }
}

}  // namespace interlock::scan
