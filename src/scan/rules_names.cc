// Names that rule files use for enumerators and bits.
#include <array>

#include "interlock/scan/rules.h"
#include "rules_read.h"
#include "static/surface.h"

namespace interlock::scan {
namespace {

struct SurfaceName {
  SurfaceSet bit;
  std::string_view name;
};
constexpr std::array kSurfaces = {
    SurfaceName{kSurfaceToolName, "tool-name"}, SurfaceName{kSurfaceDescription, "description"},
    SurfaceName{kSurfaceSchema, "schema"},      SurfaceName{kSurfaceInstruction, "instruction"},
    SurfaceName{kSurfaceDocument, "document"},  SurfaceName{kSurfaceComment, "comment"},
    SurfaceName{kSurfaceString, "string"},      SurfaceName{kSurfaceCodeBlock, "code-block"},
    SurfaceName{kSurfaceConfig, "config"},      SurfaceName{kSurfaceSource, "source"},
    SurfaceName{kSurfaceHidden, "hidden"},      SurfaceName{kSurfaceDecoded, "decoded"},
};
constexpr std::array<std::string_view, 5> kEngines = {"text", "code", "flow", "supply", "package"};

}  // namespace

std::string_view NameOf(Maturity maturity) noexcept { return maturity == Maturity::kStable ? "stable" : "incubating"; }

std::string_view NameOf(Engine engine) noexcept { return kEngines[static_cast<std::size_t>(engine)]; }

std::vector<std::string_view> SurfaceNames(SurfaceSet surfaces) {
  std::vector<std::string_view> names;
  for (const SurfaceName& surface : kSurfaces) {
    if ((surfaces & surface.bit) != 0) names.push_back(surface.name);
  }
  return names;
}

std::optional<Maturity> MaturityFromName(std::string_view name) noexcept {
  if (name == "stable") return Maturity::kStable;
  if (name == "incubating") return Maturity::kIncubating;
  return std::nullopt;
}

std::optional<Engine> EngineFromName(std::string_view name) noexcept {
  for (std::size_t i = 0; i < kEngines.size(); ++i) {
    if (kEngines[i] == name) return static_cast<Engine>(i);
  }
  return std::nullopt;
}

std::optional<SurfaceSet> SurfaceFromName(std::string_view name) noexcept {
  for (const SurfaceName& surface : kSurfaces) {
    if (surface.name == name) return surface.bit;
  }
  return std::nullopt;
}

}  // namespace interlock::scan
