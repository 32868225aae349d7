#include "interlock/runtime/audit/redaction.h"

#include <array>
#include <cstdint>
#include <memory>

#include "interlock/platform/random.h"
#include "redact.h"

namespace interlock::runtime::audit {

std::optional<std::string> RedactedJson(base::JsonValue value, std::size_t max_bytes,
                                        std::span<const std::string> secrets) {
  static const std::unique_ptr<const KeyedHasher> hasher = [] {
    std::array<std::uint8_t, 32> key{};
    const bool ready = CryptoReady() && platform::RandomBytes(key).ok();
    return ready ? std::make_unique<const KeyedHasher>(key) : nullptr;
  }();
  if (hasher == nullptr) return std::nullopt;
  std::string out;
  bool found = false;
  if (!Redactor(*hasher).AppendJson(value, max_bytes, out, found, secrets)) return std::nullopt;
  return out;
}

}  // namespace interlock::runtime::audit
