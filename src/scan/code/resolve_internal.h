// What the parts of the evaluation share: limits, and values made of a text. Private to resolve*.cc and fold_*.cc.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "code/resolve.h"

namespace interlock::scan::code {

inline constexpr std::uint32_t kMaxDepth = 200;   // nested evaluations
inline constexpr std::size_t kMaxName = 256;      // of a qualified name
inline constexpr std::size_t kMaxItems = 8192;    // of a folded list
inline constexpr std::size_t kMaxPartial = 4096;  // of a text with unknown parts
inline constexpr std::size_t kMaxLiteral = 1U << 19U;

[[nodiscard]] Value Qualified(std::string text, std::uint8_t obfuscation = 0);
[[nodiscard]] Value TextValue(std::string text, std::uint8_t obfuscation, std::uint8_t decodes);
[[nodiscard]] bool IsModuleObject(const Value& value);
// A name put together: worse than a plain lookup by a plain name.
[[nodiscard]] std::uint8_t LookupObfuscation(const Value& name);
[[nodiscard]] bool ToInt(const Value& value, long& out);

}  // namespace interlock::scan::code
