// From a package to a report: the scanner's static layer.
//
//   ScanReport report = Scan(view, {.rules = &RuleSet::Builtin()});  // on this thread
//   ScanReport report = Scan(view, options, [&](std::size_t count, const auto& piece) { pool.ForEach(count, piece); });
//
// Works in memory: opens nothing, runs nothing, starts no thread, draws no clock. Budgets count bytes and steps, so
// that a verdict is the same on every machine. Every byte of the view is analysed or named in Coverage::skipped.
// Source: skill-scanner paper, contributions 1-6, 11, 12; differences in docs/differences.md.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "interlock/core/finding.h"
#include "interlock/core/package.h"
#include "interlock/scan/rules.h"
#include "interlock/scan/vulnerabilities.h"

namespace interlock::scan {

// What the target is. A package may be several things; this is the one that says how the agent meets it.
enum class PackageKind : std::uint8_t {
  kUnknown,
  kSkill,         // has a SKILL.md
  kMcpServer,     // source of an MCP server
  kMcpListing,    // a manifest or a live server's lists
  kClientConfig,  // configuration that names MCP servers, hooks
  kToolModule,    // LangChain, LangGraph, plain tools
  kCode,          // other source
  kText,          // documents only
};
[[nodiscard]] std::string_view NameOf(PackageKind kind) noexcept;

// A tool (prompt, script, node) that the agent can call, with what its code exercises.
struct ToolSurface {
  std::string name;
  std::string kind;  // "mcp-tool" "langchain-tool" "graph-node" "script" "hook" "prompt" "resource"
  std::string file;
  std::uint32_t line = 0;
  std::string description;
  core::PermissionSet exercised = 0;
  core::PermissionSet declared = 0;
  bool declares = false;   // says anything at all about its permissions
  std::string definition;  // SHA-256 of the canonical definition, hex; "" for code without one
};

// A permission in use and where. `detail`: host, path, variable, command, as far as it folds to a constant.
struct PermissionUse {
  core::Permission permission = core::Permission::kNetworkEgress;
  std::string file;
  std::uint32_t line = 0;
  std::string detail;
  core::Reach reach = core::Reach::kRuntime;
  std::vector<std::string> tools;  // entry points that reach it
};

struct Dependency {
  std::string ecosystem;  // "PyPI" "npm" "Go" "crates.io"
  std::string name;
  std::string version;  // exact, or the constraint as written
  bool pinned = false;  // one exact version
  bool hashed = false;
  bool direct = true;
  std::string file;
  std::uint32_t line = 0;
  std::string purl;
};

struct FileRecord {
  std::string path;
  std::string sha256;
  std::uint64_t bytes = 0;
  std::uint64_t analysed = 0;  // bytes that an analyser read
  std::string type;            // "python" "markdown" "elf" ...
  core::Reach reach = core::Reach::kRuntime;
};

struct Coverage {
  std::uint64_t bytes = 0;
  std::uint64_t analysed = 0;
  std::vector<core::SkippedPart> skipped;
};

struct ScanReport {
  std::string target;
  PackageKind kind = PackageKind::kUnknown;
  std::string name;  // of the package, from its own front matter or manifest
  std::string description;
  core::ScanVerdict verdict = core::ScanVerdict::kSafe;
  core::ScanReason reason = core::ScanReason::kNone;
  double score = 0.0;                   // [0,1], monotone in evidence
  std::string summary;                  // one sentence: why
  std::vector<core::Finding> findings;  // worst first, deduplicated; suppressed ones last
  core::PermissionSet exercised = 0;
  core::PermissionSet declared = 0;
  bool declares = false;
  std::vector<PermissionUse> permissions;
  std::vector<ToolSurface> tools;
  std::vector<Dependency> dependencies;
  std::vector<KnownVulnerability> vulnerabilities;  // of pinned dependencies; empty without a database
  std::vector<FileRecord> files;
  Coverage coverage;
  std::vector<std::string> layers = {};  // that ran: "static"
  std::string rules_version;
};

// One line of a suppression file, or an inline comment `interlock-ignore: RULE reason... [until YYYY-MM-DD]`.
struct Suppression {
  std::string rule;         // id or glob
  std::string path;         // glob; "": every file
  std::string fingerprint;  // "": every finding
  std::string reason;       // required
  std::string until;        // YYYY-MM-DD, "": no end
};

// What was found in files before, by key (64 hex digits of file bytes, path, rules and program). Whoever can write to
// where it is kept decides what a scan says: it belongs in a folder of the user's own. Called on any thread.
class ScanCache {
 public:
  virtual ~ScanCache() = default;
  [[nodiscard]] virtual std::optional<std::string> Get(const std::string& key) = 0;
  virtual void Put(const std::string& key, std::string_view bytes) = 0;
};

struct ScanOptions {
  const RuleSet* rules = nullptr;                       // nullptr: the shipped ones
  const VulnerabilityIndex* vulnerabilities = nullptr;  // nullptr: dependencies are not looked up
  std::vector<Suppression> suppressions;
  std::string today;                 // YYYY-MM-DD for expiry; "": nothing has expired
  bool inline_suppressions = false;  // honour comments of the scanned package itself: only for one's own code
  bool strict = false;               // profile: what is reported but does not condemn counts too
  // From `scan --layers`; a layer asked for that did not run never looks clean.
  std::uint32_t max_findings = 2000;
  std::uint64_t max_parse_steps = 0;  // 0: default budgets of each parser
  // Code of a package that is parsed and followed, which takes some 35 times its bytes of memory; what is beyond it is
  // read as text and named as skipped.
  std::uint64_t max_code_bytes = std::uint64_t{64} << 20U;
  ScanCache* cache = nullptr;         // nullptr: everything is read anew; the report is the same either way
  std::string cache_salt;             // of the program that scans: another build's findings are not taken
};

// Reads the lists and weights by which texts are read, which are otherwise read with the first text: on a thread that
// has nothing to do while rules are loaded. From any thread, as often as one likes.
void ReadWordLists();

// Calls piece(0) to piece(count - 1), each once, and comes back when all are done. They may run on any threads at the
// same time; they are best begun in order, for the longest come first. The report is the same however they are run.
using Spread = std::function<void(std::size_t count, const std::function<void(std::size_t)>& piece)>;

// `spread`: empty for all of it on this thread. `view`, `options.rules` and `options.vulnerabilities` are only read.
[[nodiscard]] ScanReport Scan(const core::PackageView& view, const ScanOptions& options = {},
                              const Spread& spread = {});

}  // namespace interlock::scan
