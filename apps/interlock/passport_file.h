// Passports as files: whose they are, and what the proxy takes from them.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

#include "interlock/base/result.h"
#include "interlock/runtime/mcp/proxy_core.h"

namespace interlock::app {

inline constexpr std::size_t kMaxPassportBytes = std::size_t{128} << 20;

// Whether the signature holds, and by whose key, in words. An error when it does not fit, or when `wanted_key` (public,
// in hex; "": any or none) is not the one that signed.
[[nodiscard]] base::Result<std::string> CheckPassportSignature(std::string_view passport,
                                                               const std::string& wanted_key);

// What the passport in `file` says of a server's tools. An error for anything that is not a sound passport.
[[nodiscard]] base::Result<std::shared_ptr<const runtime::mcp::PassportTools>> ReadPassportTools(
    const std::string& file, const std::string& wanted_key);

}  // namespace interlock::app
