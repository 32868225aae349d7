// links: base core scan
// mutates: tokens
// Whatever stands in a manifest: reading ends, and every place lies inside its file. The first line of the input is the
// name of the file, the rest is its bytes.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "../src/scan/static/classify.h"
#include "../src/scan/static/supply.h"
#include "interlock/base/check.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  namespace scan = interlock::scan;
  const std::string_view input(reinterpret_cast<const char*>(data), size);
  const std::size_t line = input.find('\n');
  if (line == std::string_view::npos || line == 0 || line > 100) return 0;

  interlock::core::PackageView view;
  view.files.push_back({.path = std::string(input.substr(0, line)), .bytes = std::string(input.substr(line + 1))});
  const auto files = scan::ClassifyFiles(view, scan::KindOfPackage(view));
  const scan::SupplyFacts facts = scan::AnalyzeSupply(view, files);
  scan::FileResult result;
  scan::AnalyzeArtifacts(files[0], result);
  scan::AnalyzeBytecode(view, files, result.findings);
  const std::size_t end = view.files[0].bytes.size();
  for (const scan::RawFinding& finding : facts.findings) {
    INTERLOCK_CHECK(finding.file == 0 && finding.bytes.begin <= finding.bytes.end && finding.bytes.end <= end,
                    "a finding lies inside its file");
  }
  for (const scan::RawFinding& finding : result.findings) {
    INTERLOCK_CHECK(finding.bytes.begin <= finding.bytes.end && finding.bytes.end <= end,
                    "a finding lies inside its file");
  }
  for (const scan::HookCommand& hook : facts.hooks) {
    INTERLOCK_CHECK(hook.bytes.begin <= hook.bytes.end && hook.bytes.end <= end, "a hook lies inside its file");
  }
  for (const scan::Dependency& dependency : facts.dependencies) {
    INTERLOCK_CHECK(dependency.line >= 1 && !dependency.ecosystem.empty(), "a dependency has its place");
  }
  return 0;
}
