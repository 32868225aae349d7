// Preimages of what a session remembers as fingerprints. Private to the module.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "interlock/base/digest.h"
#include "interlock/base/json.h"
#include "interlock/core/call.h"

namespace interlock::gate {

// Of a session's memory: `number` as it lies in this machine's.
inline void AppendBytes(std::string& out, std::uint64_t number) {
  out.append(reinterpret_cast<const char*>(&number), sizeof number);
}

// The fingerprint of "`tool` was called with this value at `pointer`". Parts are length-prefixed; `scratch` is room.
inline std::uint64_t FactKey(const std::array<std::uint64_t, 2>& key, std::string_view tool, std::string_view pointer,
                             base::JsonValue value, std::string& scratch) {
  scratch.clear();
  AppendBytes(scratch, tool.size());
  AppendBytes(scratch, pointer.size());
  scratch += tool;
  scratch += pointer;
  if (!pointer.empty()) base::AppendCanonicalJson(scratch, value);
  return base::SipHash(key, scratch);
}

// Of a result as the server gave it. Not keyed: grants are bound to it and outlive the session.
inline std::uint64_t FingerprintOf(const core::ToolResult& result) {
  constexpr std::array<std::uint64_t, 2> kKey{0x696e7465726c6f63, 0x6b2f726573756c74};
  return base::SipHash(kKey, result.payload.exists() ? result.payload.raw() : result.text.value_or(std::string_view()));
}

}  // namespace interlock::gate
