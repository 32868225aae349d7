#include "crypto.h"

#include <sodium.h>

#include <algorithm>
#include <cstring>

#include "interlock/base/check.h"
#include "io.h"

namespace interlock::runtime::audit {
namespace {

using base::Error;
using base::ErrorCode;

const unsigned char* Bytes(std::string_view text) { return reinterpret_cast<const unsigned char*>(text.data()); }

}  // namespace

bool CryptoReady() {
  static const bool kReady = sodium_init() >= 0;
  return kReady;
}

Keys::Secrets::~Secrets() {
  sodium_memzero(signing.data(), signing.size());
  sodium_memzero(hashing.data(), hashing.size());
  sodium_memzero(originals.data(), originals.size());
}

std::string Sign(const Keys::Secrets& secrets, std::string_view message) {
  std::array<unsigned char, crypto_sign_BYTES> signature{};
  crypto_sign_detached(signature.data(), nullptr, Bytes(message), message.size(), secrets.signing.data());
  return ToHex({reinterpret_cast<const char*>(signature.data()), signature.size()});
}

bool SignatureFits(const PublicKey& key, std::string_view message, std::string_view signature_hex) {
  std::array<unsigned char, crypto_sign_BYTES> signature{};
  if (!FromHex(signature_hex, signature.data(), signature.size())) return false;
  return crypto_sign_verify_detached(signature.data(), Bytes(message), message.size(), key.bytes.data()) == 0;
}

std::string SignMessage(const Keys& keys, std::string_view message) {
  INTERLOCK_CHECK(!message.starts_with("interlock.audit."), "the audit's own headings are not for others");
  return Sign(keys.secrets(), message);
}

bool MessageSignatureFits(const PublicKey& key, std::string_view message, std::string_view signature_hex) {
  return CryptoReady() && SignatureFits(key, message, signature_hex);
}

std::string CheckpointMessage(std::string_view chain, std::uint64_t row, std::string_view hash_hex,
                              std::int64_t time_us) {
  std::string message = "interlock.audit.checkpoint/v1\n";
  message.append(chain).append("\n").append(std::to_string(row)).append("\n");
  message.append(hash_hex).append("\n").append(std::to_string(time_us)).append("\n");
  return message;
}

std::string TombstoneMessage(std::string_view chain, std::uint64_t through, std::string_view hash_hex,
                             std::uint64_t rows, std::int64_t time_us, bool ended) {
  std::string message = "interlock.audit.tombstone/v1\n";
  message.append(chain).append("\n").append(std::to_string(through)).append("\n").append(hash_hex).append("\n");
  message.append(std::to_string(rows)).append("\n").append(std::to_string(time_us)).append("\n");
  message.append(ended ? "ended\n" : "open\n");
  return message;
}

std::string RotationMessage(const PublicKey& old_key, const PublicKey& new_key) {
  return "interlock.audit.rotate/v1\n" + old_key.ToHex() + "\n" + new_key.ToHex() + "\n";
}

struct KeyedHasher::State {
  crypto_auth_hmacsha256_state hmac;
};

KeyedHasher::KeyedHasher(const std::array<std::uint8_t, 32>& key) : state_(std::make_unique<State>()) {
  crypto_auth_hmacsha256_init(&state_->hmac, key.data(), key.size());
}

KeyedHasher::~KeyedHasher() { sodium_memzero(state_.get(), sizeof(State)); }

std::array<char, 16> KeyedHasher::Text(std::string_view secret) const {
  std::array<unsigned char, crypto_auth_hmacsha256_BYTES> mac{};
  crypto_auth_hmacsha256_state state = state_->hmac;
  crypto_auth_hmacsha256_update(&state, Bytes("text\n"), 5);
  crypto_auth_hmacsha256_update(&state, Bytes(secret), secret.size());
  crypto_auth_hmacsha256_final(&state, mac.data());
  static constexpr std::string_view kDigits = "0123456789abcdef";
  std::array<char, 16> hex{};
  for (std::size_t i = 0; i < 8; ++i) {
    hex[2 * i] = kDigits[mac[i] >> 4U];
    hex[2 * i + 1] = kDigits[mac[i] & 15U];
  }
  return hex;
}

base::Digest KeyedHasher::OfDigest(const base::Digest& digest) const {
  crypto_auth_hmacsha256_state state = state_->hmac;
  crypto_auth_hmacsha256_update(&state, Bytes("digest\n"), 7);
  crypto_auth_hmacsha256_update(&state, digest.bytes.data(), digest.bytes.size());
  base::Digest keyed;
  crypto_auth_hmacsha256_final(&state, keyed.bytes.data());
  return keyed;
}

void SealOriginal(const Keys::Secrets& secrets, std::string_view context, std::string_view plain, std::string& out) {
  static_assert(crypto_aead_xchacha20poly1305_ietf_NPUBBYTES + crypto_aead_xchacha20poly1305_ietf_ABYTES ==
                kSealOverhead);
  const std::size_t at = out.size();
  out.resize(at + plain.size() + kSealOverhead);
  auto* nonce = reinterpret_cast<unsigned char*>(out.data() + at);
  randombytes_buf(nonce, crypto_aead_xchacha20poly1305_ietf_NPUBBYTES);
  crypto_aead_xchacha20poly1305_ietf_encrypt(nonce + crypto_aead_xchacha20poly1305_ietf_NPUBBYTES, nullptr,
                                             Bytes(plain), plain.size(), Bytes(context), context.size(), nullptr, nonce,
                                             secrets.originals.data());
}

base::Result<std::string> OpenOriginal(const Keys::Secrets& secrets, std::string_view context,
                                       std::string_view sealed) {
  if (sealed.size() < kSealOverhead) return Error(ErrorCode::kAuditChain, "sealed original is too short");
  std::string plain(sealed.size() - kSealOverhead, '\0');
  const unsigned char* nonce = Bytes(sealed);
  if (crypto_aead_xchacha20poly1305_ietf_decrypt(reinterpret_cast<unsigned char*>(plain.data()), nullptr, nullptr,
                                                 nonce + crypto_aead_xchacha20poly1305_ietf_NPUBBYTES,
                                                 sealed.size() - crypto_aead_xchacha20poly1305_ietf_NPUBBYTES,
                                                 Bytes(context), context.size(), nonce,
                                                 secrets.originals.data()) != 0) {
    return Error(ErrorCode::kAuditChain, "original does not open with this key at this place");
  }
  return plain;
}

Keys::Secrets WithNewSigningKey(const Keys::Secrets& old_secrets) {
  Keys::Secrets secrets = old_secrets;
  crypto_sign_keypair(secrets.public_key.bytes.data(), secrets.signing.data());
  return secrets;
}

bool RotationFits(const Rotation& rotation) {
  const std::string message = RotationMessage(rotation.old_key, rotation.new_key);
  return SignatureFits(rotation.old_key, message, rotation.signature_old) &&
         SignatureFits(rotation.new_key, message, rotation.signature_new);
}

std::vector<PublicKey> TrustedKeys(const PublicKey& root, const std::vector<Rotation>& rotations) {
  std::vector<PublicKey> keys{root};
  const auto known = [&keys](const PublicKey& key) { return std::find(keys.begin(), keys.end(), key) != keys.end(); };
  for (bool grown = true; grown;) {
    grown = false;
    for (const Rotation& rotation : rotations) {
      const bool has_old = known(rotation.old_key);
      const bool has_new = known(rotation.new_key);
      if (has_old == has_new || !RotationFits(rotation)) continue;
      keys.push_back(has_old ? rotation.new_key : rotation.old_key);
      grown = true;
    }
  }
  return keys;
}

}  // namespace interlock::runtime::audit
