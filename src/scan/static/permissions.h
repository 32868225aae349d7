// Exercised against declared permissions, and the finding that says so (PE-DELTA-001). Engine room.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "code/flow.h"
#include "interlock/scan/scanner.h"
#include "static/analysis.h"
#include "static/supply.h"

namespace interlock::scan {

// Declared by the package as a whole: front matter `allowed-tools`, a manifest's `permissions`. False: says nothing.
struct Declaration {
  bool declares = false;
  core::PermissionSet permissions = 0;
  std::uint32_t file = 0;
  base::ByteSpan bytes;
  bool by_host_tools = false;  // allowed-tools: limits the agent's own tools, not what scripts may do
  // Folders of the manifests ("" or with a slash at the end): they bind what lies there.
  std::vector<std::string> folders;
  [[nodiscard]] bool Binds(std::string_view path) const;
};
[[nodiscard]] Declaration ReadDeclaration(const std::vector<FileContext>& files);

// Fills exercised, declared, permissions and tools of `report`; appends PE-DELTA-001 findings, graded by what was
// exercised beyond the declaration and how well it was hidden: a package that declares nothing has broken no promise.
void ComparePermissions(const std::vector<FileContext>& files, const code::CodeFacts& facts,
                        const Declaration& declaration, ScanReport& report, std::vector<RawFinding>& out);

}  // namespace interlock::scan
