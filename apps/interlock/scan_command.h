// `interlock scan`: options, and what other commands use of it.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "commands.h"
#include "interlock/base/result.h"
#include "interlock/core/package.h"
#include "interlock/platform/workers.h"
#include "interlock/scan/scanner.h"

namespace CLI {
class App;
}

namespace interlock::app {

enum class ScanFormat : std::uint8_t { kText, kJson, kSarif, kHtml, kCycloneDx };

struct ScanArgs {
  std::vector<std::string> targets;
  bool mcp_stdio = false;  // `targets` is a server's command
  std::vector<std::string> mcp_urls;
  bool each = false;  // every sub-folder (or archive) of a target is a package of its own
  ScanFormat format = ScanFormat::kText;
  std::string output;
  std::vector<std::string> layers = {"static"};
  bool all = false;
  std::string fail_on = "block";
  std::string profile = "default";
  std::vector<std::string> rules;
  std::string cache;             // folder
  std::vector<std::string> osv;  // databases of known vulnerabilities
  std::vector<std::string> suppressions;
  std::string baseline;
  std::string write_baseline;
  bool inline_suppressions = false;
  std::string passport;  // write here
  std::string sign_dir;  // folder with keys
  int passphrase_fd = -1;
  std::string verify;      // passport to hold the target against
  std::string public_key;  // hex; the signature must be by this key
  std::uint32_t jobs = 0;  // 0: one a core
  bool colour = true;
  bool progress = true;
  bool reproducible = false;  // no time in what is written
};

int RunScan(const ScanArgs& args);
void AddScanCommand(CLI::App& app, std::function<int()>& run);

// Scans with these threads.
[[nodiscard]] scan::ScanReport ScanPackage(const core::PackageView& view, const scan::ScanOptions& options,
                                           platform::Workers& workers);
// Rule files; folders stand for the *.json below them.
[[nodiscard]] base::Result<std::vector<scan::RuleFile>> ReadRuleFiles(const std::vector<std::string>& paths);
// The shipped rules and those of `paths` (files or folders of *.json).
[[nodiscard]] base::Result<scan::RuleSet> LoadRules(const std::vector<std::string>& paths,
                                                    const scan::RuleLoading& how = {.examples = false});
// Databases in the OSV format: zips, folders, JSON lines, lists, plain or compressed. kInvalidArgument where one has no
// entry or cannot be read to its end: a look-up in half a database would look clean. What is left out is told on
// stderr.
[[nodiscard]] base::Result<scan::VulnerabilityIndex> ReadOsv(const std::vector<std::string>& paths);
// Suppression and baseline files: schemas/interlock.scan-suppressions.v1.json.
[[nodiscard]] base::Result<std::vector<scan::Suppression>> ReadSuppressions(const std::string& path);

}  // namespace interlock::app
