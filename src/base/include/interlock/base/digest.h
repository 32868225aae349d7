// Digests. A call's digest is SHA-256 over its arguments in RFC 8785 order and escapes, numbers normalised as decimal
// text without loss (`NormalizeNumber`), so that key order, white space and spelling of a number do not matter and
// nothing else is lost.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "interlock/base/json.h"

namespace interlock::base {

struct Digest {
  std::array<std::uint8_t, 32> bytes{};
  auto operator<=>(const Digest&) const = default;
  [[nodiscard]] std::string ToHex() const;  // 64 lower-case digits
  [[nodiscard]] static std::optional<Digest> FromHex(std::string_view hex);
};

[[nodiscard]] Digest Sha256(std::string_view bytes);

// Incremental SHA-256. Allocates nothing.
class Sha256Hasher {
 public:
  // What OpenSSL keeps of a digest that is not finished; OpenSSL itself stays out of this header.
  struct State {
    alignas(8) std::array<unsigned char, 112> bytes;
  };

  Sha256Hasher();
  Sha256Hasher(const Sha256Hasher&) = delete;
  Sha256Hasher& operator=(const Sha256Hasher&) = delete;
  Sha256Hasher& Update(std::string_view bytes);
  [[nodiscard]] Digest Finish();  // once; then the hasher starts anew

 private:
  State state_;
};

// Appends the canonical text of `value` to `out`; a missing value has none (and a digest of its own, that of no bytes).
void AppendCanonicalJson(std::string& out, JsonValue value);
[[nodiscard]] std::string CanonicalJson(JsonValue value);
// Sha256(CanonicalJson(value)).
[[nodiscard]] Digest DigestOf(JsonValue value);

// SipHash-2-4 of `bytes` under a 128-bit key: keyed 64-bit fingerprints for in-memory tables fed by hostile text.
[[nodiscard]] std::uint64_t SipHash(const std::array<std::uint64_t, 2>& key, std::string_view bytes) noexcept;

}  // namespace interlock::base
