// toml++ as this project builds it: every file that reads TOML includes this and not the library.
#pragma once

#include <stdexcept>

namespace interlock::scan {
// The parser's assertions fail on hostile text, and without them the optimiser takes them for granted: they throw here,
// as its errors do.
constexpr void RequireInParser(bool holds) {
  if (!holds) throw std::logic_error("toml");
}
}  // namespace interlock::scan

#undef NDEBUG
#define TOML_ASSERT(expr) ::interlock::scan::RequireInParser(static_cast<bool>(expr))
#define TOML_EXCEPTIONS 1
#define TOML_ENABLE_FORMATTERS 0
#define TOML_HEADER_ONLY 1
#include <toml++/toml.h>
