// links: base core scan
// mutates: tokens
// Any bytes as JavaScript and as TypeScript: lowering never crashes, is the same twice, and every id in the module
// points at something that exists.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "sound_module.h"

using interlock::scan::code::LowerJavaScript;
using interlock::scan::code::LowerLimits;
using interlock::scan::code::Module;
using interlock::scan::code::Require;
using interlock::scan::code::RequireSound;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size > 16'384) return 0;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  LowerLimits limits;
  limits.max_nodes = 200'000;
  for (const bool typescript : {false, true}) {
    const Module module = LowerJavaScript(text, 0, typescript, !typescript, limits);
    RequireSound(module);
    const Module again = LowerJavaScript(text, 0, typescript, !typescript, limits);
    Require(again.exprs.size() == module.exprs.size() && again.functions.size() == module.functions.size());
  }
  return 0;
}
