// links: base core patterns injection scan
// Configuration files of hosts: first byte even JSON, odd TOML. What was blanked out keeps its place, what is printed
// holds no control of a URL's user part, and what was read stays within the limits.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "interlock/base/json.h"
#include "interlock/scan/host_config.h"

namespace {

void Require(bool holds) {
  if (!holds) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace interlock::scan;  // NOLINT: a fuzz target is one file
  if (size == 0) return 0;
  const std::string_view bytes(reinterpret_cast<const char*>(data + 1), size - 1);
  const bool toml = (data[0] & 1) != 0;
  const std::string stripped = StripJsonComments(bytes);
  Require(stripped.size() == bytes.size());
  if (toml) {
    const auto json = TomlToJson(bytes);
    // What it wrote is JSON, unless the strings were not UTF-8 or it is nested deeper than is read.
    if (json.ok()) {
      const auto doc = interlock::base::JsonDoc::Parse(json.value(), {.max_depth = 1000});
      using interlock::base::ErrorCode;
      Require(doc.ok() || doc.error().code() == ErrorCode::kJsonDuplicateKey ||
              doc.error().code() == ErrorCode::kJsonDepth);
    }
  }
  const auto config = ParseHostConfig(toml ? HostSyntax::kToml : HostSyntax::kJson, bytes);
  if (!config.ok()) return 0;
  for (const ConfiguredServer& server : config.value().servers) {
    Require(!server.command.empty() || !server.url.empty());
    (void)PrintableCommand(server.command);
    (void)PrintableUrl(server.url);
  }
  for (const ConfiguredHook& hook : config.value().hooks) Require(!PrintableShell(hook.command).empty());
  return 0;
}
