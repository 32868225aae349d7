// Preimages of what a session remembers as fingerprints. Private to the module.
#pragma once

#include <string>
#include <string_view>

#include "interlock/base/digest.h"
#include "interlock/base/json.h"
#include "interlock/core/call.h"

namespace interlock::gate {

// Parts are length-prefixed.
inline std::string FactKey(std::string_view tool, std::string_view pointer, base::JsonValue value) {
  std::string key = std::to_string(tool.size());
  key += ':';
  key += tool;
  key += std::to_string(pointer.size());
  key += ':';
  key += pointer;
  if (!pointer.empty()) base::AppendCanonicalJson(key, value);
  return key;
}

// Of a result as the server gave it. Not keyed: grants are bound to it and outlive the session.
inline std::uint64_t FingerprintOf(const core::ToolResult& result) {
  constexpr std::array<std::uint64_t, 2> kKey{0x696e7465726c6f63, 0x6b2f726573756c74};
  return base::SipHash(kKey, result.payload.exists() ? result.payload.raw() : result.text.value_or(std::string_view()));
}

}  // namespace interlock::gate
