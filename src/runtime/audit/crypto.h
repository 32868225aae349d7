// The cryptography of this module, over libsodium: signatures, keyed hashes, sealed originals.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "interlock/base/digest.h"
#include "interlock/base/result.h"
#include "interlock/runtime/audit/keys.h"

namespace interlock::runtime::audit {

// Starts libsodium once; false when it cannot (no randomness).
[[nodiscard]] bool CryptoReady();

struct Keys::Secrets {
  PublicKey public_key;
  std::array<std::uint8_t, 64> signing{};
  std::array<std::uint8_t, 32> hashing{};
  std::array<std::uint8_t, 32> originals{};
  // How the file was stored, so that rotation writes it back the same way.
  KeyStorage storage = KeyStorage::kFile;
  SealCost cost = SealCost::kModerate;
  Secrets() = default;
  Secrets(const Secrets&) = default;
  Secrets& operator=(const Secrets&) = default;
  ~Secrets();
};

[[nodiscard]] std::string Sign(const Keys::Secrets& secrets, std::string_view message);  // hex, 128 digits
[[nodiscard]] bool SignatureFits(const PublicKey& key, std::string_view message, std::string_view signature_hex);

// What is signed, as text, so that a signature for one purpose never fits another.
[[nodiscard]] std::string CheckpointMessage(std::string_view chain, std::uint64_t row, std::string_view hash_hex,
                                            std::int64_t time_us);
[[nodiscard]] std::string TombstoneMessage(std::string_view chain, std::uint64_t through, std::string_view hash_hex,
                                           std::uint64_t rows, std::int64_t time_us, bool ended);
[[nodiscard]] std::string RotationMessage(const PublicKey& old_key, const PublicKey& new_key);

// HMAC-SHA-256 with one key: `Text` for secrets, `OfDigest` for digests that would let a secret be guessed.
class KeyedHasher {
 public:
  explicit KeyedHasher(const std::array<std::uint8_t, 32>& key);
  KeyedHasher(const KeyedHasher&) = delete;
  KeyedHasher& operator=(const KeyedHasher&) = delete;
  ~KeyedHasher();
  [[nodiscard]] std::array<char, 16> Text(std::string_view secret) const;  // 16 hex digits
  [[nodiscard]] base::Digest OfDigest(const base::Digest& digest) const;

 private:
  struct State;  // HMAC with the key taken in already: half of the work
  std::unique_ptr<State> state_;
};

inline constexpr std::size_t kSealOverhead = 24 + 16;
// Appends nonce and box to `out`. `context` binds the box to its place: it opens nowhere else.
void SealOriginal(const Keys::Secrets& secrets, std::string_view context, std::string_view plain, std::string& out);
[[nodiscard]] base::Result<std::string> OpenOriginal(const Keys::Secrets& secrets, std::string_view context,
                                                     std::string_view sealed);

// A fresh signing key beside the same other secrets.
[[nodiscard]] Keys::Secrets WithNewSigningKey(const Keys::Secrets& old_secrets);
// Writes keys.json and signing.pub as `secrets.storage` says.
[[nodiscard]] base::Status WriteKeys(const std::string& dir, const Keys::Secrets& secrets, std::string_view passphrase);

// A statement "old hands over to new", signed by both.
struct Rotation {
  PublicKey old_key;
  PublicKey new_key;
  std::string signature_old;
  std::string signature_new;
};
[[nodiscard]] bool RotationFits(const Rotation& rotation);
// Every key reachable from `root` over valid statements, in either direction.
[[nodiscard]] std::vector<PublicKey> TrustedKeys(const PublicKey& root, const std::vector<Rotation>& rotations);

}  // namespace interlock::runtime::audit
