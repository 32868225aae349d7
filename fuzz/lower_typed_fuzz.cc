// links: base core scan
// mutates: tokens
// A file of Go or of Rust (behind one byte that says which: odd or even) of an unknown author: it lowers to something
// whose every id points inside the module, the same twice, and all of a prefix of it does so too.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "sound_module.h"

using interlock::scan::code::Dump;
using interlock::scan::code::LowerGo;
using interlock::scan::code::LowerLimits;
using interlock::scan::code::LowerRust;
using interlock::scan::code::Module;
using interlock::scan::code::Require;
using interlock::scan::code::RequireSound;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0 || size > 16'384) return 0;
  const std::string_view text(reinterpret_cast<const char*>(data) + 1, size - 1);
  const bool go = (data[0] & 1U) != 0;
  const auto lower = [&](const LowerLimits& limits) {
    return go ? LowerGo(text, 0, limits) : LowerRust(text, 0, limits);
  };
  const Module module = lower({});
  RequireSound(module);
  Require(Dump(module) == Dump(lower({})));
  // Tight budgets stop it, they do not break it.
  RequireSound(lower({.max_bytes = 512, .max_nodes = 300, .max_depth = 12, .max_parse_ops = 2}));
  return 0;
}
