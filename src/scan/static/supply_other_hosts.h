// Servers in settings that are TOML. Beside supply_internal.h, since whoever includes this includes the parser.
#pragma once

#include "static/supply_internal.h"
#include "static/toml_library.h"

namespace interlock::scan {

// Where a value of a TOML manifest stands.
[[nodiscard]] base::ByteSpan SpanOf(const Sheet& sheet, const toml::node& node);

// [mcp_servers.NAME] of Codex.
void ReadTomlServers(Sheet& sheet, const toml::table& servers);

}  // namespace interlock::scan
