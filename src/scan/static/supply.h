// Supply chain: dependencies and how they are named, pinned and fetched; install hooks; secrets; binaries. Engine room.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "interlock/scan/scanner.h"
#include "static/analysis.h"

namespace interlock::scan {

// A command that runs when the package is installed, built or started, or that a host is told to run (npm lifecycle
// scripts, setup.py bodies, MCP server commands, agent hooks): the shell analyser reads `command`.
struct HookCommand {
  std::uint32_t file = 0;
  base::ByteSpan bytes;
  std::string name;     // "postinstall", "mcpServers.x", "hooks.PreToolUse"
  std::string command;  // as a shell would get it
  core::Reach reach = core::Reach::kInstall;
  bool opens = false;        // whoever opens the folder runs it, wherever in it the file lies
  std::string matcher = {};  // the tools that an agent's hook is asked about; "": all
};

struct SupplyFacts {
  std::string package_name;
  std::string package_version;
  std::string package_description;
  std::vector<Dependency> dependencies;
  std::vector<HookCommand> hooks;
  std::vector<std::string> entry_files;  // main, bin, scripts, module names that manifests name as what runs
  std::vector<std::string> bundled;      // names of packages that lie in node_modules and are shipped
  std::vector<std::string> folders;  // of the package that are installed with it ("file:./vendor/core"): "vendor/core/"
  std::vector<std::string> install_files;  // ... when the package is installed
  std::vector<RawFinding> findings;
  std::vector<KnownVulnerability> vulnerabilities;
  std::vector<core::SkippedPart> skipped;
};

// Reads every manifest, lock file and configuration of the package; with `vulnerabilities`, looks pinned dependencies
// up.
[[nodiscard]] SupplyFacts AnalyzeSupply(const core::PackageView& view, const std::vector<FileContext>& files,
                                        const VulnerabilityIndex* vulnerabilities = nullptr);

// Per file, whatever its type: secrets in text, binaries and bytecode in a source package, files that pretend.
void AnalyzeArtifacts(const FileContext& file, FileResult& out);
// Several credentials that stand in full in one file.
void FindWrittenSecrets(const FileContext& file, FileResult& out);
// The package's view of them: pyc without source, pyc that differs from its source.
void AnalyzeBytecode(const core::PackageView& view, const std::vector<FileContext>& files,
                     std::vector<RawFinding>& out);

}  // namespace interlock::scan
