// Keys of an audit folder: an ed25519 key signs checkpoints, an HMAC key makes keyed hashes of secrets, a third one
// encrypts originals. All three live in one file, `keys.json` (mode 0600), in the clear or sealed with a passphrase;
// `signing.pub` holds the public key in hex, to be kept elsewhere for `Verify`.
//
// Errors: kAuditKey for everything about the key file (missing, readable by others, damaged, wrong passphrase), kIo.
#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "interlock/base/clock.h"
#include "interlock/base/result.h"

namespace interlock::runtime::audit {

struct PublicKey {
  std::array<std::uint8_t, 32> bytes{};
  auto operator<=>(const PublicKey&) const = default;
  [[nodiscard]] std::string ToHex() const;
  [[nodiscard]] std::string Id() const;  // first 16 hex digits of its SHA-256: for people
  [[nodiscard]] static std::optional<PublicKey> FromHex(std::string_view hex);  // surrounding white space is fine
};

enum class KeyStorage : std::uint8_t {
  kFile,    // in the clear, protected by file mode 0600
  kSealed,  // argon2id over a passphrase, XChaCha20-Poly1305
};

// How much work guessing one passphrase costs. Written into the key file.
enum class SealCost : std::uint8_t { kInteractive, kModerate };

class Keys {
 public:
  Keys(Keys&&) noexcept;
  Keys& operator=(Keys&&) noexcept;
  ~Keys();  // wipes the secrets

  [[nodiscard]] const PublicKey& public_key() const noexcept;

  struct Secrets;  // private to the module
  [[nodiscard]] const Secrets& secrets() const noexcept { return *secrets_; }
  explicit Keys(std::unique_ptr<Secrets> secrets) noexcept;

 private:
  std::unique_ptr<Secrets> secrets_;
};

// Makes keys in `dir` (which is created, mode 0700). kAuditKey when there are keys already.
[[nodiscard]] base::Result<PublicKey> CreateKeys(const std::string& dir, KeyStorage storage,
                                                 std::string_view passphrase = {}, SealCost cost = SealCost::kModerate);
[[nodiscard]] base::Result<Keys> LoadKeys(const std::string& dir, std::string_view passphrase = {});
// Writes the same keys again with another storage or passphrase; the chain is not concerned.
[[nodiscard]] base::Status ResealKeys(const std::string& dir, std::string_view old_passphrase, KeyStorage storage,
                                      std::string_view new_passphrase = {}, SealCost cost = SealCost::kModerate);
// The public key that stands in the folder: no proof against somebody who can write there.
[[nodiscard]] base::Result<PublicKey> ReadPublicKey(const std::string& dir);

// Signs `message` (hex, 128 digits) with the folder's signing key. The message begins with a heading of its own kind,
// so that a signature for one purpose never fits another; none may begin with "interlock.audit.".
[[nodiscard]] std::string SignMessage(const Keys& keys, std::string_view message);
[[nodiscard]] bool MessageSignatureFits(const PublicKey& key, std::string_view message, std::string_view signature_hex);

// A passphrase from the first line of descriptor `fd` (at most 1 KiB; 0 for standard input).
[[nodiscard]] base::Result<std::string> ReadPassphrase(int fd);

}  // namespace interlock::runtime::audit
