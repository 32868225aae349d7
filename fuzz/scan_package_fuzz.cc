// links: base core scan
// mutates: tokens
// A package of up to four files through every part of the scanner, as `interlock scan` runs it. Each file: a byte that
// chooses its name, then its content, up to a record separator (0x1E). Whatever comes in: findings lie inside files of
// the package, scores are scores, and no byte counts as analysed twice.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "interlock/core/package.h"
#include "interlock/scan/scanner.h"

namespace {

void Require(bool holds) {
  if (!holds) std::abort();
}

constexpr std::string_view kNames[] = {
    "SKILL.md",    "scripts/run.py",   "scripts/run.sh", "index.js",  "src/server.ts",         "package.json",
    "setup.py",    "requirements.txt", "mcp.json",       "tools.py",  ".claude/settings.json", "README.md",
    "install.ps1", "pyproject.toml",   "notes.ipynb",    "AGENTS.md", "scripts/lib.sh",        "tools.json",
    "lib/tool.rb", "lib/tool.php",     "src/Tool.cs",    "main.go",   "src/Tool.java",         "src/main.rs",
    "build.rs",    "bin/tool.pl",      "hooks.json",     "Makefile",  "references/guide.md",   "docs/page.html"};
constexpr std::size_t kMostFiles = 4;
constexpr char kSeparator = '\x1E';

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::string_view rest(reinterpret_cast<const char*>(data), size);
  interlock::core::PackageView view;
  view.target = "package";
  while (!rest.empty() && view.files.size() < kMostFiles) {
    const std::string_view name = kNames[static_cast<unsigned char>(rest.front()) % std::size(kNames)];
    const std::size_t end = std::min(rest.find(kSeparator), rest.size());
    const std::string_view content = end > 0 ? rest.substr(1, end - 1) : std::string_view();
    rest.remove_prefix(std::min(end + 1, rest.size()));
    const bool taken = std::ranges::any_of(view.files, [&](const auto& file) { return file.path == name; });
    if (!taken) view.files.push_back({.path = std::string(name), .bytes = std::string(content)});
  }
  if (view.files.empty()) return 0;
  std::ranges::sort(view.files, {}, &interlock::core::PackageFile::path);

  const interlock::scan::ScanReport report = interlock::scan::Scan(view);
  Require(report.score >= 0.0 && report.score <= 1.0);
  Require(report.files.size() == view.files.size());
  for (const interlock::scan::FileRecord& file : report.files) Require(file.analysed <= file.bytes);
  for (const interlock::core::Finding& finding : report.findings) {
    const auto file = std::ranges::find(view.files, finding.file, &interlock::core::PackageFile::path);
    Require(finding.file.empty() || file != view.files.end());
    if (file != view.files.end()) Require(finding.begin <= finding.end && finding.end <= file->bytes.size());
    Require(finding.confidence >= 0.0 && finding.confidence <= 1.0);
  }
  return 0;
}
