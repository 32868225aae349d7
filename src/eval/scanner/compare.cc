// Older verdicts, and those of other scanners.
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "import_common.h"
#include "interlock/base/text.h"
#include "interlock/eval/scanner/measure.h"

namespace interlock::eval::scanner {

using base::JsonDoc;
using base::JsonValue;
using base::Result;
using core::ScanVerdict;

namespace {

constexpr base::JsonLimits kLimits{.max_bytes = std::size_t{200} << 20, .max_depth = 100, .max_values = 8'000'000};

bool Wrong(const ScanSample& sample, ScanVerdict verdict) {
  Measured one{.sample = {}, .outcome = {}};
  one.sample.label = sample.label;
  one.sample.at_least = sample.at_least;
  one.sample.at_most = sample.at_most;
  one.outcome.verdict = verdict;
  return IsMissed(one) || IsFalseAlarm(one);
}

}  // namespace

Result<OldVerdicts> ReadOldVerdicts(std::string_view rows_json) {
  auto parsed = JsonDoc::Parse(rows_json, kLimits);
  if (!parsed.ok()) return parsed.error();
  const JsonValue root = parsed.value().root();
  if (root.Find("schema").string() != "interlock.eval/v1" || root.Find("eval").string() != "scanner") {
    return ShapeError(root, "not the rows of `interlock eval scanner`");
  }
  OldVerdicts out;
  for (const JsonValue row : root.Find("rows")) {
    if (row.Find("table").string() != "items") continue;
    const auto value = row.Find("value").AsInt64();
    if (!value || *value < 0 || *value > 2) return ShapeError(row, "a verdict is 0, 1 or 2");
    out[{std::string(row.Find("split").string()), std::string(row.Find("row").string())}] =
        static_cast<ScanVerdict>(*value);
  }
  if (out.empty()) return ShapeError(root, "these rows have no table `items`: the run was not made with --format json");
  return out;
}

std::string CompareText(const OldVerdicts& old, std::span<const Measured> now) {
  std::vector<std::string> gained;
  std::vector<std::string> lost;
  std::vector<std::string> other;
  std::size_t added = 0;
  std::size_t same = 0;
  for (const Measured& one : now) {
    const auto it = old.find({one.sample.set, one.sample.id});
    if (it == old.end()) {
      ++added;
      continue;
    }
    if (it->second == one.outcome.verdict) {
      ++same;
      continue;
    }
    const bool was = Wrong(one.sample, it->second);
    const bool is = Wrong(one.sample, one.outcome.verdict);
    std::string line = fmt::format("  {} -> {}  {} {} {}/{}", core::NameOf(it->second),
                                   core::NameOf(one.outcome.verdict), NameOf(one.sample.label),
                                   core::NameOf(one.sample.threat), one.sample.set, base::Printable(one.sample.id));
    if (!one.outcome.findings.empty()) line += "  " + base::Printable(one.outcome.findings.front().rule);
    (was == is ? other : was ? gained : lost).push_back(std::move(line));
  }
  std::string out =
      fmt::format("\n== Against the older run ==\n{} the same, {} gained, {} lost, {} changed otherwise, {} new\n",
                  same, gained.size(), lost.size(), other.size(), added);
  const auto list = [&](const char* title, std::vector<std::string>& lines) {
    if (lines.empty()) return;
    std::sort(lines.begin(), lines.end());
    out += fmt::format("{}\n{}\n", title, fmt::join(lines, "\n"));
  };
  list("lost: right before, wrong now", lost);
  list("gained: wrong before, right now", gained);
  list("changed otherwise", other);
  return out;
}

Result<std::map<std::string, ScanOutcome>> ReadSarif(std::string_view sarif, std::span<const std::string> names) {
  auto parsed = JsonDoc::Parse(sarif, kLimits);
  if (!parsed.ok()) return parsed.error();
  const JsonValue root = parsed.value().root();
  if (!root.Find("runs").is_array()) return ShapeError(root, "SARIF has an array `runs`");
  const std::set<std::string, std::less<>> known(names.begin(), names.end());
  std::map<std::string, ScanOutcome> out;
  for (const std::string& name : names) out[name];
  for (const JsonValue run : root.Find("runs")) {
    for (const JsonValue result : run.Find("results")) {
      const std::string_view level = result.Find("level").string();
      const ScanVerdict verdict = level == "error"                      ? ScanVerdict::kBlock
                                  : level == "warning" || level.empty() ? ScanVerdict::kWarn
                                                                        : ScanVerdict::kSafe;
      for (const JsonValue location : result.Find("locations")) {
        const JsonValue physical = location.Find("physicalLocation");
        const std::string_view uri = physical.Find("artifactLocation").Find("uri").string();
        for (std::size_t begin = 0; begin <= uri.size();) {
          const std::size_t slash = std::min(uri.find('/', begin), uri.size());
          const std::string_view part = uri.substr(begin, slash - begin);
          if (known.find(part) != known.end()) {
            ScanOutcome& outcome = out[std::string(part)];
            outcome.verdict = std::max(outcome.verdict, verdict);
            core::Finding finding;
            finding.rule = std::string(result.Find("ruleId").string());
            finding.file = std::string(uri.substr(std::min(slash + 1, uri.size())));
            finding.line = static_cast<std::uint32_t>(
                std::clamp<std::int64_t>(physical.Find("region").Find("startLine").AsInt64().value_or(0), 0, 1 << 30));
            finding.message = std::string(result.Find("message").Find("text").string());
            outcome.findings.push_back(std::move(finding));
            break;
          }
          begin = slash + 1;
        }
      }
    }
  }
  return out;
}

std::string ExportName(const ScanSample& sample) {
  std::string out = sample.set + "__" + sample.id;
  for (char& c : out) {
    const bool plain =
        (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '.' || c == '-' || c == '_';
    if (!plain) c = '_';
  }
  return out;
}

}  // namespace interlock::eval::scanner
