// links: base core scan
// A file of any type as the text layer reads it. First byte: the type by name. Whatever comes in: surfaces, passages
// and findings lie inside the file, and every byte of an unescaped surface has a place.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "../src/scan/static/classify.h"
#include "../src/scan/static/surface.h"
#include "../src/scan/static/text_canvas.h"

using namespace interlock::scan;  // NOLINT: a program of one page

namespace {

void Require(bool holds) {
  if (!holds) std::abort();
}

constexpr std::string_view kNames[] = {
    "SKILL.md", "README.md", "mcp-listing.json", "a.ipynb", "a.yaml", "a.toml", "a.py",
    "a.ts",     "a.sh",      "a.html",           "a.svg",   "a.txt"};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 2 || size > 65536) return 0;
  interlock::core::PackageFile file;
  file.path = std::string(kNames[data[0] % std::size(kNames)]);
  file.bytes.assign(reinterpret_cast<const char*>(data + 1), size - 1);
  FileContext context;
  context.file = &file;
  context.claimed = TypeOfName(file.path);
  context.type = context.claimed;
  context.reach = IsInstructionFile(file.path) ? interlock::core::Reach::kAgent : interlock::core::Reach::kRuntime;

  std::vector<TextSurface> surfaces;
  CollectSurfaces(context, surfaces);
  for (const TextSurface& surface : surfaces) {
    Require(surface.bytes.begin <= surface.bytes.end && surface.bytes.end <= file.bytes.size());
    Require(surface.map.empty() || surface.map.size() == surface.shown().size());
    for (const std::uint32_t at : surface.map) Require(at <= file.bytes.size());
  }
  const TextCanvas canvas = BuildCanvas(context, surfaces);
  for (const TextPassage& passage : canvas.passages) {
    Require(passage.end <= canvas.text.size());
    Require(canvas.Back(passage, passage.begin, passage.end).end <= file.bytes.size());
  }
  FileResult result;
  AnalyzeText(context, RuleSet::Builtin(), result);
  for (const RawFinding& finding : result.findings) {
    Require(finding.bytes.begin <= finding.bytes.end && finding.bytes.end <= file.bytes.size());
    Require(finding.scale >= 0.0 && finding.described >= 0.0 && finding.described <= 1.0);
  }
  return 0;
}
