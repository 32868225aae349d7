#include "static/shown_code.h"

#include <algorithm>
#include <array>
#include <string>
#include <utility>

#include "code/flow.h"
#include "code/ir.h"
#include "interlock/base/find_bytes.h"
#include "rules_impl.h"

namespace interlock::scan {
namespace {

constexpr std::size_t kMaxBlock = std::size_t{64} << 10;
constexpr double kShown = 0.85;

bool IsPythonName(std::string_view lang) { return lang == "python" || lang == "py" || lang == "python3"; }
bool IsTypeScriptName(std::string_view lang) { return lang == "typescript" || lang == "ts" || lang == "tsx"; }
bool IsJavaScriptName(std::string_view lang) {
  return lang == "javascript" || lang == "js" || lang == "node" || lang == "nodejs" || lang == "jsx" || lang == "mjs";
}

// Without one of these nothing leaves, and nothing foreign runs.
constexpr auto kSinks = std::to_array<std::string_view>(
    {"exec",          "eval",    "system",    "popen", "Popen",     "subprocess",    "requests",  "urlopen",
     "urllib",        "httpx",   "aiohttp",   "fetch", "axios",     "http",          "socket",    "net.",
     "child_process", "smtplib", "Function(", "open(", "writeFile", "import_module", "__import__"});

}  // namespace

bool MayHarm(std::string_view text, std::string_view lang) {
  if (text.size() < 40 || text.size() > kMaxBlock) return false;
  if (!IsPythonName(lang) && !IsTypeScriptName(lang) && !IsJavaScriptName(lang)) return false;
  return std::ranges::any_of(kSinks, [&](std::string_view word) { return base::HasBytes(text, word); });
}

void JudgeShownCode(std::string_view text, std::string_view lang, std::uint32_t file, const RuleSet& rules,
                    std::vector<RawFinding>& out) {
  const bool python = IsPythonName(lang);
  const bool typescript = IsTypeScriptName(lang);
  const code::Module module =
      python ? code::LowerPython(text, file) : code::LowerJavaScript(text, file, typescript, !typescript);
  code::PackageModules package;
  package.modules = {&module};
  package.paths = {python ? "shown.py" : "shown.js"};
  code::CodeFacts facts = code::AnalyzeCode(package, {core::Reach::kAgent});
  for (RawFinding& finding : facts.findings) {
    const Rule* rule = rules.Find(finding.rule);
    if (rule == nullptr || rule->nature != core::Nature::kMalicious || finding.listed_only) continue;
    finding.scale *= kShown;
    finding.has_reach = false;  // the document's
    out.push_back(std::move(finding));
  }
}

}  // namespace interlock::scan
