// For a terminal: what was decided and why first, then what a person can act on.
#include <algorithm>
#include <array>

#include "fmt/format.h"
#include "interlock/base/text.h"
#include "interlock/scan/report.h"

namespace interlock::scan {
namespace {

using core::Finding;

struct Paint {
  bool on;
  [[nodiscard]] std::string operator()(std::string_view code, std::string_view text) const {
    return on ? fmt::format("\x1b[{}m{}\x1b[0m", code, text) : std::string(text);
  }
};

constexpr std::string_view kBold = "1";
constexpr std::string_view kDim = "2";
constexpr std::string_view kRed = "1;31";
constexpr std::string_view kYellow = "1;33";
constexpr std::string_view kGreen = "1;32";

std::string_view ColourOf(core::ScanVerdict verdict) {
  return verdict == core::ScanVerdict::kBlock ? kRed : verdict == core::ScanVerdict::kWarn ? kYellow : kGreen;
}

std::string_view ColourOf(const Finding& finding) {
  if (finding.nature == core::Nature::kHygiene || finding.nature == core::Nature::kCapability) return kDim;
  return finding.severity >= core::Severity::kHigh ? kRed : kYellow;
}

// Breaks at spaces; a word longer than a line is left whole.
void Wrap(std::string_view text, std::size_t indent, int width, std::string& out) {
  const std::size_t room = static_cast<std::size_t>(std::max(width, 40)) - indent;
  const std::string pad(indent, ' ');
  std::size_t used = 0;
  while (!text.empty()) {
    const std::size_t space = text.find(' ');
    const std::string_view word = text.substr(0, space);
    if (used == 0) {
      out += pad;
    } else if (used + 1 + word.size() > room) {
      out += '\n';
      out += pad;
      used = 0;
    } else {
      out += ' ';
      ++used;
    }
    out += word;
    used += word.size();
    if (space == std::string_view::npos) break;
    text.remove_prefix(space + 1);
  }
  out += '\n';
}

std::string Shown(std::string_view text, std::size_t limit) { return base::Printable(text, limit); }

std::string PlaceOf(const Finding& finding) {
  return finding.line == 0 ? Shown(finding.file, 200)
                           : fmt::format("{}:{}:{}", Shown(finding.file, 200), finding.line, finding.column);
}

std::string Permissions(core::PermissionSet set) {
  std::string out;
  for (std::size_t i = 0; i < core::kPermissionCount; ++i) {
    const auto permission = static_cast<core::Permission>(i);
    if ((set & core::BitOf(permission)) == 0) continue;
    if (!out.empty()) out += "  ";
    out += core::NameOf(permission);
  }
  return out.empty() ? "none" : out;
}

std::string Size(std::uint64_t bytes) {
  if (bytes < 10'000) return fmt::format("{} B", bytes);
  if (bytes < 10'000'000) return fmt::format("{} KB", bytes / 1000);
  return fmt::format("{} MB", bytes / 1'000'000);
}

void AppendFinding(const Finding& finding, const RuleSet& rules, const TextReportOptions& options, const Paint& paint,
                   std::string& out) {
  const Rule* rule = rules.Find(finding.rule);
  out += fmt::format("  {} {} {}  {}\n", paint(ColourOf(finding), fmt::format("{:<8}", core::NameOf(finding.severity))),
                     paint(kBold, finding.rule), core::NameOf(finding.threat), Shown(finding.message, 300));
  out += fmt::format("           {}{}{}\n", paint(kDim, PlaceOf(finding)),
                     finding.repeats > 0 ? fmt::format(" (and {} more)", finding.repeats) : std::string{},
                     paint(kDim, fmt::format("  [{}, {}, confidence {:.2f}]", core::NameOf(finding.nature),
                                             core::NameOf(finding.reach), finding.confidence)));
  if (!finding.evidence.empty())
    out += fmt::format("           | {}\n", Shown(finding.evidence, options.all ? 300 : 140));
  if (!finding.decoded.empty())
    out += fmt::format("           = {}\n", Shown(finding.decoded, options.all ? 300 : 140));
  if (options.all) {
    int n = 0;
    for (const core::FlowStep& step : finding.flow) {
      out += fmt::format("           {}. {}:{} {}\n", ++n, Shown(step.file, 120), step.line, Shown(step.text, 160));
    }
    if (rule != nullptr && !rule->remedy.empty()) Wrap("Remedy: " + rule->remedy, 11, options.width, out);
  }
  if (!finding.suppressed.empty()) out += fmt::format("           suppressed: {}\n", Shown(finding.suppressed, 200));
}

void AppendPackage(const ScanReport& report, const RuleSet& rules, const TextReportOptions& options, const Paint& paint,
                   std::string& out) {
  out += fmt::format(
      "{}  {}{}  {}\n", paint(ColourOf(report.verdict), core::NameOf(report.verdict)),
      paint(kBold, Shown(report.target, 200)),
      report.name.empty() ? std::string{} : fmt::format(" ({})", Shown(report.name, 80)),
      paint(kDim, fmt::format("{}, score {:.2f}, {}", NameOf(report.kind), report.score, core::NameOf(report.reason))));
  Wrap(Shown(report.summary, 400), 2, options.width, out);
  std::size_t shown = 0;
  std::size_t live = 0;
  for (const Finding& finding : report.findings) live += finding.suppressed.empty() ? 1U : 0U;
  for (const Finding& finding : report.findings) {
    // What is listed by default is what somebody should look at.
    const bool quiet = finding.nature == core::Nature::kCapability || finding.severity <= core::Severity::kLow ||
                       finding.confidence < 0.15 || !finding.suppressed.empty();
    if (!options.all && (quiet || shown >= options.limit)) continue;
    AppendFinding(finding, rules, options, paint, out);
    ++shown;
  }
  if (shown < report.findings.size()) {
    out += paint(kDim, fmt::format("  {} more of lower weight{}: --all\n", report.findings.size() - shown,
                                   live < report.findings.size() ? " or suppressed" : ""));
  }
  if (report.exercised != 0) out += fmt::format("  permissions  {}\n", Permissions(report.exercised));
  if (report.declares) out += fmt::format("  declared     {}\n", Permissions(report.declared));
  if (options.all) {
    for (const PermissionUse& use : report.permissions) {
      std::string tools;
      for (const std::string& tool : use.tools) tools += (tools.empty() ? "  tools: " : ", ") + Shown(tool, 60);
      out += paint(kDim, fmt::format("               {:<17} {}:{} {}{}\n", core::NameOf(use.permission),
                                     Shown(use.file, 100), use.line, Shown(use.detail, 80), tools));
    }
  }
  if (!report.tools.empty()) {
    std::string names;
    for (std::size_t i = 0; i < report.tools.size() && i < 12; ++i)
      names += (i > 0 ? ", " : "") + Shown(report.tools[i].name, 40);
    if (report.tools.size() > 12) names += fmt::format(" and {} more", report.tools.size() - 12);
    out += fmt::format("  tools        {}\n", names);
  }
  out += paint(kDim, fmt::format("  {} files, {} of {} analysed", report.files.size(), Size(report.coverage.analysed),
                                 Size(report.coverage.bytes)));
  if (!report.coverage.skipped.empty()) {
    out += paint(kDim,
                 fmt::format("; {} parts skipped{}", report.coverage.skipped.size(), options.all ? ":" : " (--all)"));
  }
  out += '\n';
  if (options.all) {
    for (const core::SkippedPart& part : report.coverage.skipped) {
      out += paint(kDim, fmt::format("    {:<13} {} {} {}\n", core::NameOf(part.reason), Shown(part.path, 160),
                                     part.bytes > 0 ? Size(part.bytes) : std::string{}, Shown(part.detail, 120)));
    }
  }
}

}  // namespace

std::string TextReport(std::span<const ScanReport> reports, const RuleSet& rules, const TextReportOptions& options) {
  const Paint paint{options.colour};
  std::string out;
  for (const ScanReport& report : reports) {
    AppendPackage(report, rules, options, paint, out);
    out += '\n';
  }
  if (reports.size() > 1) {
    std::array<std::size_t, 3> counts{};
    for (const ScanReport& report : reports) ++counts[static_cast<std::size_t>(report.verdict)];
    out += fmt::format("{} packages: {} {}, {} {}, {} {}\n", reports.size(), counts[2], paint(kRed, "BLOCK"), counts[1],
                       paint(kYellow, "WARN"), counts[0], paint(kGreen, "SAFE"));
  }
  return out;
}

}  // namespace interlock::scan
