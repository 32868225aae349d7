// links: base core scan
// mutates: tokens
// A Python file of an unknown author: it lowers to something whose every id points inside the module, the same twice,
// and all of a prefix of it does so too.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "sound_module.h"

using interlock::scan::code::Dump;
using interlock::scan::code::LowerLimits;
using interlock::scan::code::LowerPython;
using interlock::scan::code::Module;
using interlock::scan::code::Require;
using interlock::scan::code::RequireSound;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size > 16'384) return 0;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const Module module = LowerPython(text, 0);
  RequireSound(module);
  Require(Dump(module) == Dump(LowerPython(text, 0)));
  // Tight budgets stop it, they do not break it.
  RequireSound(
      LowerPython(text, 0, LowerLimits{.max_bytes = 512, .max_nodes = 300, .max_depth = 12, .max_parse_ops = 2}));
  return 0;
}
