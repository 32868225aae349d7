// One page without a script: what opens and closes are <details>, and a content security policy forbids everything
// else, because the page quotes hostile text.
#include <algorithm>
#include <array>

#include "fmt/format.h"
#include "interlock/base/html.h"
#include "interlock/scan/report.h"

namespace interlock::scan {
namespace {

using core::Finding;

constexpr std::string_view kStyle = R"css(
:root{--bg:#f6f7f9;--card:#fff;--ink:#1c2430;--soft:#5b6675;--line:#dfe4ea;--block:#b3261e;--warn:#9a6700;--safe:#1a7f37;--code:#f1f3f6}
@media(prefers-color-scheme:dark){:root{--bg:#11151b;--card:#1a2028;--ink:#e4e9f0;--soft:#9aa7b7;--line:#2c3541;--block:#ff8a80;--warn:#e3b341;--safe:#56d364;--code:#10151b}}
*{box-sizing:border-box}body{margin:0;background:var(--bg);color:var(--ink);font:15px/1.5 system-ui,-apple-system,"Segoe UI",sans-serif}
main{max-width:1080px;margin:0 auto;padding:28px 20px 60px}h1{font-size:22px;margin:0 0 4px}h2{font-size:18px;margin:0;overflow-wrap:anywhere}
.soft{color:var(--soft)}.card{background:var(--card);border:1px solid var(--line);border-radius:10px;padding:18px 20px;margin:18px 0}
.head{display:flex;gap:12px;align-items:baseline;flex-wrap:wrap}.pill{font-weight:700;font-size:13px;padding:2px 10px;border-radius:99px;border:1.5px solid}
.BLOCK{color:var(--block)}.WARN{color:var(--warn)}.SAFE{color:var(--safe)}
.counts{display:flex;gap:14px;margin:18px 0;flex-wrap:wrap}.count{background:var(--card);border:1px solid var(--line);border-radius:10px;padding:10px 18px;min-width:110px}
.count b{display:block;font-size:26px}.finding{border-top:1px solid var(--line);padding:12px 0}.finding summary{cursor:pointer;list-style-position:outside}
.sev{display:inline-block;min-width:64px;font-weight:600;font-size:13px}.critical,.high{color:var(--block)}.medium{color:var(--warn)}.low,.info{color:var(--soft)}
pre{background:var(--code);border-radius:6px;padding:8px 12px;overflow-x:auto;white-space:pre-wrap;overflow-wrap:anywhere;margin:8px 0;font:13px/1.45 ui-monospace,Menlo,Consolas,monospace}
code{font:13px ui-monospace,Menlo,Consolas,monospace;overflow-wrap:anywhere}table{border-collapse:collapse;width:100%;font-size:14px}
td,th{text-align:left;padding:4px 10px 4px 0;border-bottom:1px solid var(--line);vertical-align:top;overflow-wrap:anywhere}ol{margin:6px 0;padding-left:22px}
.bar{height:6px;border-radius:3px;background:var(--line);overflow:hidden;width:160px;display:inline-block;vertical-align:middle}.bar i{display:block;height:100%;background:currentColor}
section{margin-top:16px}h3{font-size:15px;margin:0 0 6px})css";

std::string Escape(std::string_view text, std::size_t limit = 2000) { return base::EscapeHtml(text, limit); }

std::string Place(const Finding& finding) {
  return finding.line == 0 ? Escape(finding.file, 300)
                           : fmt::format("{}:{}:{}", Escape(finding.file, 300), finding.line, finding.column);
}

void AppendFinding(const Finding& finding, const RuleSet& rules, bool open, std::string& out) {
  const Rule* rule = rules.Find(finding.rule);
  out += fmt::format(
      "<details class=\"finding\"{}><summary><span class=\"sev {}\">{}</span> <b>{}</b> {} <span "
      "class=\"soft\">{}</span></summary>",
      open ? " open" : "", core::NameOf(finding.severity), core::NameOf(finding.severity), Escape(finding.rule, 80),
      Escape(finding.message, 400), core::NameOf(finding.threat));
  out += fmt::format("<div class=\"soft\"><code>{}</code>{} &middot; {} &middot; {} &middot; confidence {:.2f}</div>",
                     Place(finding), finding.repeats > 0 ? fmt::format(" and {} more", finding.repeats) : "",
                     core::NameOf(finding.nature), core::NameOf(finding.reach), finding.confidence);
  if (!finding.evidence.empty()) out += "<pre>" + Escape(finding.evidence, 600) + "</pre>";
  if (!finding.decoded.empty())
    out += "<div class=\"soft\">decoded</div><pre>" + Escape(finding.decoded, 600) + "</pre>";
  if (!finding.flow.empty()) {
    out += "<ol>";
    for (const core::FlowStep& step : finding.flow) {
      out += fmt::format("<li><code>{}:{}</code> {}</li>", Escape(step.file, 200), step.line, Escape(step.text, 300));
    }
    out += "</ol>";
  }
  if (rule != nullptr) {
    if (!rule->rationale.empty()) out += "<div>" + Escape(rule->rationale) + "</div>";
    if (!rule->remedy.empty()) out += "<div><b>Remedy:</b> " + Escape(rule->remedy) + "</div>";
  }
  if (!finding.suppressed.empty())
    out += "<div class=\"soft\">suppressed: " + Escape(finding.suppressed, 300) + "</div>";
  out += "</details>";
}

void AppendPermissions(const ScanReport& report, std::string& out) {
  if (report.permissions.empty()) return;
  out += fmt::format(
      "<section><details><summary><h3 style=\"display:inline\">Permissions in use ({})</h3></summary><table>"
      "<tr><th>permission</th><th>where</th><th>what</th><th>reached from</th></tr>",
      report.permissions.size());
  std::size_t shown = 0;
  for (const PermissionUse& use : report.permissions) {
    if (++shown > 500) break;
    std::string tools;
    for (const std::string& tool : use.tools) tools += (tools.empty() ? "" : ", ") + Escape(tool, 80);
    out += fmt::format("<tr><td>{}</td><td><code>{}:{}</code></td><td>{}</td><td>{}</td></tr>",
                       core::NameOf(use.permission), Escape(use.file, 200), use.line, Escape(use.detail, 200),
                       tools.empty() ? std::string(core::NameOf(use.reach)) : tools);
  }
  out += "</table></details></section>";
}

void AppendPackage(const ScanReport& report, const RuleSet& rules, std::string& out) {
  const std::string_view verdict = core::NameOf(report.verdict);
  out += fmt::format(
      "<div class=\"card\"><div class=\"head\"><span class=\"pill {}\">{}</span><h2>{}</h2><span "
      "class=\"soft\">{}</span></div>",
      verdict, verdict, Escape(report.name.empty() ? report.target : report.name, 200),
      report.name.empty() ? "" : Escape(report.target, 300));
  out += fmt::format(
      "<p>{}</p><div class=\"soft {}\"><span class=\"bar\"><i style=\"width:{:.0f}%\"></i></span> score {:.2f} "
      "&middot; {} &middot; {}</div>",
      Escape(report.summary, 600), verdict, report.score * 100, report.score, core::NameOf(report.reason),
      NameOf(report.kind));
  // What somebody should look at stands open; powers and hygiene are one fold away.
  const auto quiet = [](const Finding& finding) {
    return finding.nature == core::Nature::kCapability || finding.nature == core::Nature::kHygiene ||
           !finding.suppressed.empty();
  };
  constexpr std::size_t kMost = 300;
  std::size_t listed_open = 0;
  std::size_t folded = 0;
  for (const Finding& finding : report.findings) {
    if (quiet(finding)) {
      ++folded;
    } else if (listed_open < kMost) {
      AppendFinding(finding, rules, listed_open++ < 3, out);
    }
  }
  if (folded > 0) {
    out += fmt::format(
        "<details class=\"finding\"><summary class=\"soft\">{} more: powers, hygiene, suppressed</summary>", folded);
    std::size_t listed = 0;
    for (const Finding& finding : report.findings) {
      if (quiet(finding) && listed++ < kMost) AppendFinding(finding, rules, false, out);
    }
    out += "</details>";
  }
  if (listed_open + std::min(folded, kMost) < report.findings.size()) {
    out += fmt::format("<p class=\"soft\">{} further findings: see the JSON report.</p>",
                       report.findings.size() - listed_open - std::min(folded, kMost));
  }
  AppendPermissions(report, out);
  if (!report.tools.empty()) {
    out += fmt::format(
        "<section><details><summary><h3 style=\"display:inline\">Tools "
        "({})</h3></summary><table><tr><th>name</th><th>kind</th><th>exercises</th></tr>",
        report.tools.size());
    for (const ToolSurface& tool : report.tools) {
      std::string exercised;
      for (std::size_t i = 0; i < core::kPermissionCount; ++i) {
        const auto permission = static_cast<core::Permission>(i);
        if ((tool.exercised & core::BitOf(permission)) != 0)
          exercised += (exercised.empty() ? "" : ", ") + std::string(core::NameOf(permission));
      }
      out += fmt::format("<tr><td><code>{}</code></td><td>{}</td><td>{}</td></tr>", Escape(tool.name, 120),
                         Escape(tool.kind, 40), exercised);
    }
    out += "</table></details></section>";
  }
  if (!report.dependencies.empty()) {
    out += fmt::format(
        "<section><details><summary><h3 style=\"display:inline\">Dependencies "
        "({})</h3></summary><table><tr><th>name</th><th>version</th><th>declared in</th></tr>",
        report.dependencies.size());
    std::size_t shown = 0;
    for (const Dependency& dependency : report.dependencies) {
      if (++shown > 500) break;
      out += fmt::format("<tr><td>{} <span class=\"soft\">{}</span></td><td>{}</td><td><code>{}:{}</code></td></tr>",
                         Escape(dependency.name, 120), Escape(dependency.ecosystem, 20), Escape(dependency.version, 80),
                         Escape(dependency.file, 160), dependency.line);
    }
    out += "</table></details></section>";
  }
  out += fmt::format("<section class=\"soft\">{} files, {} of {} bytes analysed, {} parts skipped", report.files.size(),
                     report.coverage.analysed, report.coverage.bytes, report.coverage.skipped.size());
  if (!report.coverage.skipped.empty()) {
    out += "<details><summary>what was skipped</summary><table>";
    std::size_t shown = 0;
    for (const core::SkippedPart& part : report.coverage.skipped) {
      if (++shown > 500) break;
      out += fmt::format("<tr><td>{}</td><td><code>{}</code></td><td>{}</td></tr>", core::NameOf(part.reason),
                         Escape(part.path, 300), Escape(part.detail, 200));
    }
    out += "</table></details>";
  }
  out += "</section></div>";
}

}  // namespace

std::string HtmlReport(std::span<const ScanReport> reports, const RuleSet& rules, std::string_view version) {
  std::array<std::size_t, 3> counts{};
  for (const ScanReport& report : reports) ++counts[static_cast<std::size_t>(report.verdict)];
  std::string out =
      "<!doctype html><html lang=\"en\"><head><meta charset=\"utf-8\">"
      "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">"
      "<meta name=\"viewport\" content=\"width=device-width,initial-scale=1\"><title>Interlock scan</title><style>";
  out += kStyle;
  out += fmt::format(
      "</style></head><body><main><h1>Interlock scan</h1><div class=\"soft\">version {}, rules {}</div><div "
      "class=\"counts\">"
      "<div class=\"count\"><b>{}</b>packages</div><div class=\"count BLOCK\"><b>{}</b>BLOCK</div>"
      "<div class=\"count WARN\"><b>{}</b>WARN</div><div class=\"count SAFE\"><b>{}</b>SAFE</div></div>",
      Escape(version, 40), Escape(rules.version(), 40), reports.size(), counts[2], counts[1], counts[0]);
  // Worst first, in the order given otherwise.
  std::vector<const ScanReport*> order;
  for (const ScanReport& report : reports) order.push_back(&report);
  std::stable_sort(order.begin(), order.end(),
                   [](const ScanReport* a, const ScanReport* b) { return a->verdict > b->verdict; });
  for (const ScanReport* report : order) AppendPackage(*report, rules, out);
  out += "</main></body></html>\n";
  return out;
}

}  // namespace interlock::scan
