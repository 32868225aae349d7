#include "rules_command.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>

#include "interlock/base/json.h"
#include "interlock/base/text.h"
#include "interlock/scan/rule_examples.h"
#include "interlock/scan/rules.h"
#include "policy_files.h"
#include "scan_command.h"

namespace interlock::app {
namespace {

using base::JsonWriter;
using core::NameOf;
using scan::NameOf;
using scan::Rule;
using scan::RuleExample;
using scan::RuleSet;

constexpr std::size_t kShownExample = 2000;  // bytes of an example in text format

void Print(const std::string& text) { std::fwrite(text.data(), 1, text.size(), stdout); }

int Fail(const base::Error& error) {
  PrintError(error);
  return kExitCannotRun;
}

void WriteTexts(JsonWriter& w, std::string_view key, const std::vector<std::string>& texts) {
  w.Key(key).BeginArray();
  for (const std::string& text : texts) w.String(text);
  w.EndArray();
}

void WriteExamples(JsonWriter& w, std::string_view key, const std::vector<RuleExample>& examples) {
  w.Key(key).BeginArray();
  for (const RuleExample& example : examples) {
    w.BeginObject().Key("path").String(example.path).Key("text").String(example.text);
    if (!example.note.empty()) w.Key("note").String(example.note);
    if (!example.files.empty()) {
      w.Key("files").BeginObject();
      for (const auto& [path, text] : example.files) w.Key(path).String(text);
      w.EndObject();
    }
    w.EndObject();
  }
  w.EndArray();
}

void WriteRule(JsonWriter& w, const Rule& rule, bool whole) {
  w.BeginObject().Key("id").String(rule.id).Key("title").String(rule.title);
  w.Key("threat").String(NameOf(rule.threat)).Key("severity").String(NameOf(rule.severity));
  w.Key("confidence").Double(rule.confidence).Key("nature").String(NameOf(rule.nature));
  w.Key("maturity").String(NameOf(rule.maturity)).Key("engine").String(NameOf(rule.engine));
  w.Key("decisive").Bool(rule.decisive).Key("rationale").String(rule.rationale).Key("remedy").String(rule.remedy);
  WriteTexts(w, "stride", rule.stride);
  WriteTexts(w, "owasp", rule.owasp);
  WriteTexts(w, "atlas", rule.atlas);
  WriteTexts(w, "cwe", rule.cwe);
  if (whole) {
    WriteExamples(w, "positive", rule.positive);
    WriteExamples(w, "negative", rule.negative);
    if (rule.engine == scan::Engine::kText) {
      w.Key("surfaces").BeginArray();
      for (const std::string_view name : scan::SurfaceNames(rule.surfaces)) w.String(name);
      w.EndArray().Key("patterns").BeginArray();
      for (const Rule::Pattern& pattern : rule.patterns) {
        w.BeginObject().Key("regex").String(pattern.regex);
        WriteTexts(w, "words", pattern.words);
        if (!pattern.near.empty()) w.Key("near").String(pattern.near).Key("window").Uint(pattern.window);
        if (!pattern.unless.empty()) w.Key("unless").String(pattern.unless);
        w.Key("weight").Double(pattern.weight).EndObject();
      }
      w.EndArray();
    }
  }
  w.EndObject();
}

std::string Joined(const std::vector<std::string>& texts) {
  std::string out;
  for (const std::string& text : texts) out += (out.empty() ? "" : ", ") + text;
  return out;
}

// A paragraph broken at `width`, each line behind `indent` spaces.
std::string Wrapped(std::string_view text, std::size_t indent, std::size_t width = 100) {
  std::string out;
  std::string line;
  std::size_t at = 0;
  while (at < text.size()) {
    const std::size_t end = std::min(text.find(' ', at), text.size());
    const std::string_view word = text.substr(at, end - at);
    if (!line.empty() && line.size() + 1 + word.size() > width - indent) {
      out += std::string(indent, ' ') + line + "\n";
      line.clear();
    }
    if (!line.empty()) line += ' ';
    line += word;
    at = end + 1;
  }
  return out + std::string(indent, ' ') + line + "\n";
}

std::string Indented(std::string_view text, std::size_t indent) {
  std::string out;
  std::size_t at = 0;
  while (at < text.size()) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    out += std::string(indent, ' ') + base::Printable(text.substr(at, end - at), kShownExample) + "\n";
    at = end + 1;
  }
  return out;
}

void AppendExamples(std::string& out, std::string_view title, const std::vector<RuleExample>& examples) {
  if (!examples.empty()) out += fmt::format("\n  {}:\n", title);
  for (const RuleExample& example : examples) {
    out += fmt::format("    {}{}{}\n", example.path, example.note.empty() ? "" : " - ", example.note);
    out += Indented(std::string_view(example.text).substr(0, kShownExample), 6);
    for (const auto& [path, text] : example.files) {
      out += fmt::format("    with {}\n", path) + Indented(std::string_view(text).substr(0, kShownExample), 6);
    }
  }
}

void AppendRule(std::string& out, const Rule& rule) {
  out += fmt::format("{}  {}\n", rule.id, rule.title);
  out += fmt::format("  {}, {} severity, confidence {:.2f}, {}, {}{}\n\n", NameOf(rule.threat), NameOf(rule.severity),
                     rule.confidence, NameOf(rule.nature), NameOf(rule.maturity),
                     rule.decisive ? "; one such finding is BLOCK where the agent meets it" : "");
  out += Wrapped(rule.rationale, 2) + "\n  Remedy:\n" + Wrapped(rule.remedy, 4) + "\n";
  out += fmt::format("  engine    {}\n", NameOf(rule.engine));
  if (rule.engine == scan::Engine::kText) {
    std::string surfaces;
    for (const std::string_view name : scan::SurfaceNames(rule.surfaces)) {
      surfaces += (surfaces.empty() ? "" : ", ") + std::string(name);
    }
    out += fmt::format("  surfaces  {}\n", surfaces);
  }
  out += fmt::format("  STRIDE    {}\n  OWASP     {}\n  ATLAS     {}\n", Joined(rule.stride), Joined(rule.owasp),
                     Joined(rule.atlas));
  if (!rule.cwe.empty()) out += fmt::format("  CWE       {}\n", Joined(rule.cwe));
  for (const Rule::Pattern& pattern : rule.patterns) {
    out += fmt::format("  pattern   {}\n", pattern.regex);
    if (!pattern.near.empty()) out += fmt::format("    near    {} (within {} bytes)\n", pattern.near, pattern.window);
    if (!pattern.unless.empty()) out += fmt::format("    unless  {}\n", pattern.unless);
  }
  AppendExamples(out, "is found in", rule.positive);
  AppendExamples(out, "is not found in", rule.negative);
}

const scan::ThreatInfo* FindThreat(std::string_view name) {
  for (const scan::ThreatInfo& threat : scan::Threats()) {
    if (NameOf(threat.threat) == name) return &threat;
  }
  return nullptr;
}

void AppendThreat(std::string& out, const scan::ThreatInfo& threat, const scan::RuleSet& rules) {
  out += fmt::format("{}  {}\n\n{}\n", NameOf(threat.threat), threat.title, Wrapped(threat.description, 2));
  out += fmt::format("  STRIDE    {}\n  OWASP     {}\n  ATLAS     {}\n\n", Joined(threat.stride), Joined(threat.owasp),
                     Joined(threat.atlas));
  for (const Rule& rule : rules.rules()) {
    if (rule.threat == threat.threat) out += fmt::format("  {:<14} {}\n", rule.id, rule.title);
  }
}

}  // namespace

int RunRulesList(const RulesArgs& args) {
  const auto rules = LoadRules(args.rules, {});
  if (!rules.ok()) return Fail(rules.error());
  std::vector<const Rule*> chosen;
  for (const Rule& rule : rules.value().rules()) {
    if (!args.threat.empty() && NameOf(rule.threat) != args.threat) continue;
    if (!args.nature.empty() && NameOf(rule.nature) != args.nature) continue;
    if (!args.engine.empty() && NameOf(rule.engine) != args.engine) continue;
    if (!args.maturity.empty() && NameOf(rule.maturity) != args.maturity) continue;
    if (!args.severity.empty() && NameOf(rule.severity) != args.severity) continue;
    chosen.push_back(&rule);
  }
  std::string out;
  if (args.format == Format::kJson) {
    JsonWriter w(out);
    w.BeginObject().Key("schema").String("interlock.rules.list/v1").Key("version").String(rules.value().version());
    w.Key("rules").BeginArray();
    for (const Rule* rule : chosen) WriteRule(w, *rule, false);
    w.EndArray().EndObject();
    out += '\n';
  } else {
    for (const Rule* rule : chosen) {
      out += fmt::format("{:<16} {:<3} {:<8} {:<10} {:<7} {:<10} {}\n", rule->id, NameOf(rule->threat),
                         NameOf(rule->severity), NameOf(rule->nature), NameOf(rule->engine), NameOf(rule->maturity),
                         rule->title);
    }
    out += fmt::format("{} rules, version {}\n", chosen.size(), rules.value().version());
  }
  Print(out);
  return kExitFine;
}

int RunRulesExplain(const RulesArgs& args) {
  const auto rules = LoadRules(args.rules, {});
  if (!rules.ok()) return Fail(rules.error());
  std::string out;
  JsonWriter w(out);
  const bool json = args.format == Format::kJson;
  if (json) w.BeginObject().Key("schema").String("interlock.rules.explain/v1").Key("rules").BeginArray();
  for (const std::string& id : args.ids) {
    const Rule* rule = rules.value().Find(id);
    const scan::ThreatInfo* threat = FindThreat(id);
    if (rule == nullptr && (threat == nullptr || json)) {
      return Fail(base::Error(base::ErrorCode::kUsage, "no rule is called `" + base::Printable(id, 80) + "`"));
    }
    if (!json && !out.empty()) out += '\n';
    if (json) {
      WriteRule(w, *rule, true);
    } else if (rule != nullptr) {
      AppendRule(out, *rule);
    } else {
      AppendThreat(out, *threat, rules.value());
    }
  }
  if (json) {
    w.EndArray().EndObject();
    out += '\n';
  }
  Print(out);
  return kExitFine;
}

int RunRulesTest(const RulesArgs& args) {
  std::vector<std::string> paths = args.files;
  paths.insert(paths.end(), args.rules.begin(), args.rules.end());
  const auto files = ReadRuleFiles(paths);
  if (!files.ok()) return Fail(files.error());
  const auto rules = RuleSet::LoadWithBuiltin(files.value(), {.replace = true});
  if (!rules.ok()) return Fail(rules.error());
  std::vector<std::string> only;
  if (!args.files.empty()) {
    const auto named_files = ReadRuleFiles(args.files);
    if (!named_files.ok()) return Fail(named_files.error());
    const auto named = RuleSet::Load(named_files.value());
    if (!named.ok()) return Fail(named.error());
    for (const Rule& rule : named.value().rules()) only.push_back(rule.id);
  }
  std::string out;
  JsonWriter w(out);
  const bool json = args.format == Format::kJson;
  if (json) w.BeginObject().Key("schema").String("interlock.rules.test/v1").Key("failures").BeginArray();
  std::size_t tested = 0;
  std::size_t examples = 0;
  std::size_t failed = 0;
  for (const Rule& rule : rules.value().rules()) {
    if (!args.files.empty() && std::find(only.begin(), only.end(), rule.id) == only.end()) continue;
    ++tested;
    examples += rule.positive.size() + rule.negative.size();
    for (const scan::ExampleFailure& failure : scan::TestExamples(rules.value(), rule)) {
      ++failed;
      const RuleExample& example = (failure.positive ? rule.positive : rule.negative)[failure.index];
      if (json) {
        w.BeginObject().Key("rule").String(rule.id).Key("positive").Bool(failure.positive);
        w.Key("index").Uint(failure.index).Key("path").String(example.path).Key("findings").BeginArray();
        for (const core::Finding& finding : failure.findings) {
          w.BeginObject().Key("rule").String(finding.rule).Key("evidence").String(finding.evidence).EndObject();
        }
        w.EndArray().EndObject();
        continue;
      }
      out += fmt::format("{}: {} example {} ({}) is {}found\n", rule.id, failure.positive ? "positive" : "negative",
                         failure.index + 1, example.path, failure.positive ? "not " : "");
      out += Indented(std::string_view(example.text).substr(0, 400), 6);
      for (const core::Finding& finding : failure.findings) {
        out += fmt::format("    {} {}: {}\n", failure.positive ? "instead" : "by", finding.rule,
                           base::Printable(finding.evidence));
      }
    }
  }
  if (json) {
    w.EndArray().Key("rules").Uint(tested).Key("examples").Uint(examples).Key("failed").Uint(failed).EndObject();
    out += '\n';
  } else {
    out += fmt::format("{} rules, {} examples, {} do not hold\n", tested, examples, failed);
  }
  Print(out);
  return failed == 0 ? kExitFine : kExitRefused;
}

}  // namespace interlock::app
