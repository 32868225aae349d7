#include "interlock/runtime/audit/keys.h"

#include <fcntl.h>
#include <sodium.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "crypto.h"
#include "interlock/base/digest.h"
#include "interlock/base/json.h"
#include "interlock/platform/file.h"
#include "io.h"

namespace interlock::runtime::audit {
namespace {

using base::Error;
using base::ErrorCode;
using base::JsonDoc;
using base::JsonValue;
using base::JsonWriter;
using base::Result;
using base::Status;

constexpr std::string_view kSchema = "interlock.audit.keys/v1";
constexpr std::size_t kSeedBytes = crypto_sign_SEEDBYTES;
constexpr std::size_t kPlainBytes = kSeedBytes + 32 + 32;  // signing seed, hash key, originals key
constexpr std::size_t kMaxMemory = std::size_t{1} << 30;   // a hostile key file must not ask for the machine
constexpr std::uint64_t kMaxOps = 16;

using Plain = std::array<unsigned char, kPlainBytes>;

Error KeyError(std::string message, const std::string& dir) {
  return Error(ErrorCode::kAuditKey, std::move(message), {.file = dir + std::string(kKeyFile)});
}

struct SealParameters {
  std::array<unsigned char, crypto_pwhash_SALTBYTES> salt{};
  std::uint64_t ops = 0;
  std::uint64_t memory = 0;
};

SealParameters ParametersFor(SealCost cost) {
  SealParameters parameters;
  randombytes_buf(parameters.salt.data(), parameters.salt.size());
  const bool moderate = cost == SealCost::kModerate;
  parameters.ops = moderate ? crypto_pwhash_OPSLIMIT_MODERATE : crypto_pwhash_OPSLIMIT_INTERACTIVE;
  parameters.memory = moderate ? crypto_pwhash_MEMLIMIT_MODERATE : crypto_pwhash_MEMLIMIT_INTERACTIVE;
  return parameters;
}

bool DeriveKey(const SealParameters& parameters, std::string_view passphrase, std::array<unsigned char, 32>& key) {
  return crypto_pwhash(key.data(), key.size(), passphrase.data(), passphrase.size(), parameters.salt.data(),
                       parameters.ops, static_cast<std::size_t>(parameters.memory), crypto_pwhash_ALG_ARGON2ID13) == 0;
}

std::string HexOf(const unsigned char* bytes, std::size_t size) {
  return ToHex({reinterpret_cast<const char*>(bytes), size});
}

void Unpack(const Plain& plain, Keys::Secrets& secrets) {
  crypto_sign_seed_keypair(secrets.public_key.bytes.data(), secrets.signing.data(), plain.data());
  std::memcpy(secrets.hashing.data(), plain.data() + kSeedBytes, 32);
  std::memcpy(secrets.originals.data(), plain.data() + kSeedBytes + 32, 32);
}

void Pack(const Keys::Secrets& secrets, Plain& plain) {
  crypto_sign_ed25519_sk_to_seed(plain.data(), secrets.signing.data());
  std::memcpy(plain.data() + kSeedBytes, secrets.hashing.data(), 32);
  std::memcpy(plain.data() + kSeedBytes + 32, secrets.originals.data(), 32);
}

// Opens `root` into `plain`. The sealed box is bound to the public key, so the two cannot be mixed.
Status OpenPlain(JsonValue root, std::string_view passphrase, const std::string& dir, Plain& plain) {
  const JsonValue storage = root.Find("storage");
  if (storage.string() == "file") {
    if (!FromHex(root.Find("secret").string(), plain.data(), plain.size())) return KeyError("secret is damaged", dir);
    return {};
  }
  if (storage.string() != "sealed") return KeyError("unknown key storage", dir);
  if (passphrase.empty()) return KeyError("key is sealed and needs its passphrase", dir);
  SealParameters parameters;
  const auto ops = root.Find("ops").AsInt64();
  const auto memory = root.Find("memory").AsInt64();
  std::array<unsigned char, crypto_aead_xchacha20poly1305_ietf_NPUBBYTES> nonce{};
  std::array<unsigned char, kPlainBytes + crypto_aead_xchacha20poly1305_ietf_ABYTES> box{};
  if (!ops || !memory || *ops < 1 || *memory < 8192 || static_cast<std::uint64_t>(*ops) > kMaxOps ||
      static_cast<std::uint64_t>(*memory) > kMaxMemory ||
      !FromHex(root.Find("salt").string(), parameters.salt.data(), parameters.salt.size()) ||
      !FromHex(root.Find("nonce").string(), nonce.data(), nonce.size()) ||
      !FromHex(root.Find("sealed").string(), box.data(), box.size())) {
    return KeyError("sealed key is damaged", dir);
  }
  parameters.ops = static_cast<std::uint64_t>(*ops);
  parameters.memory = static_cast<std::uint64_t>(*memory);
  std::array<unsigned char, 32> key{};
  if (!DeriveKey(parameters, passphrase, key)) return KeyError("not enough memory to open the sealed key", dir);
  const std::string_view context = root.Find("public").string();
  const int opened = crypto_aead_xchacha20poly1305_ietf_decrypt(plain.data(), nullptr, nullptr, box.data(), box.size(),
                                                                reinterpret_cast<const unsigned char*>(context.data()),
                                                                context.size(), nonce.data(), key.data());
  sodium_memzero(key.data(), key.size());
  if (opened != 0) return KeyError("passphrase does not open the key", dir);
  return {};
}

}  // namespace

std::string PublicKey::ToHex() const { return HexOf(bytes.data(), bytes.size()); }

std::string PublicKey::Id() const {
  return base::Sha256({reinterpret_cast<const char*>(bytes.data()), bytes.size()}).ToHex().substr(0, 16);
}

std::optional<PublicKey> PublicKey::FromHex(std::string_view hex) {
  constexpr std::string_view kSpace = " \t\r\n";
  const std::size_t begin = hex.find_first_not_of(kSpace);
  if (begin == std::string_view::npos) return std::nullopt;
  hex = hex.substr(begin, hex.find_last_not_of(kSpace) - begin + 1);
  PublicKey key;
  if (!audit::FromHex(hex, key.bytes.data(), key.bytes.size())) return std::nullopt;
  return key;
}

Keys::Keys(std::unique_ptr<Secrets> secrets) noexcept : secrets_(std::move(secrets)) {}
Keys::Keys(Keys&&) noexcept = default;
Keys& Keys::operator=(Keys&&) noexcept = default;
Keys::~Keys() = default;

const PublicKey& Keys::public_key() const noexcept { return secrets_->public_key; }

Status WriteKeys(const std::string& dir, const Keys::Secrets& secrets, std::string_view passphrase) {
  if (secrets.storage == KeyStorage::kSealed && passphrase.empty()) {
    return KeyError("sealed storage needs a passphrase", dir);
  }
  Plain plain{};
  Pack(secrets, plain);
  const std::string public_hex = secrets.public_key.ToHex();
  std::string text;
  JsonWriter writer(text);
  writer.BeginObject().Key("schema").String(kSchema).Key("public").String(public_hex);
  if (secrets.storage == KeyStorage::kFile) {
    writer.Key("storage").String("file").Key("secret").String(HexOf(plain.data(), plain.size()));
  } else {
    const SealParameters parameters = ParametersFor(secrets.cost);
    std::array<unsigned char, 32> key{};
    if (!DeriveKey(parameters, passphrase, key)) return KeyError("not enough memory to seal the key", dir);
    std::array<unsigned char, crypto_aead_xchacha20poly1305_ietf_NPUBBYTES> nonce{};
    randombytes_buf(nonce.data(), nonce.size());
    std::array<unsigned char, kPlainBytes + crypto_aead_xchacha20poly1305_ietf_ABYTES> box{};
    crypto_aead_xchacha20poly1305_ietf_encrypt(box.data(), nullptr, plain.data(), plain.size(),
                                               reinterpret_cast<const unsigned char*>(public_hex.data()),
                                               public_hex.size(), nullptr, nonce.data(), key.data());
    sodium_memzero(key.data(), key.size());
    writer.Key("storage").String("sealed").Key("kdf").String("argon2id13");
    writer.Key("cost").String(secrets.cost == SealCost::kModerate ? "moderate" : "interactive");
    writer.Key("ops").Uint(parameters.ops).Key("memory").Uint(parameters.memory);
    writer.Key("salt").String(HexOf(parameters.salt.data(), parameters.salt.size()));
    writer.Key("nonce").String(HexOf(nonce.data(), nonce.size()));
    writer.Key("sealed").String(HexOf(box.data(), box.size()));
  }
  writer.EndObject();
  text.push_back('\n');
  sodium_memzero(plain.data(), plain.size());
  const Status written = platform::AtomicWrite(dir + std::string(kKeyFile), text, 0600);
  sodium_memzero(text.data(), text.size());
  if (!written.ok()) return written;
  return platform::AtomicWrite(dir + std::string(kPublicKeyFile), public_hex + "\n", 0644);
}

Result<PublicKey> CreateKeys(const std::string& dir, KeyStorage storage, std::string_view passphrase, SealCost cost) {
  if (!CryptoReady()) return Error(ErrorCode::kAuditKey, "no randomness");
  if (Status made = platform::CreateDirectories(dir, 0700); !made.ok()) return made.error();
  if (FileExists(dir + std::string(kKeyFile))) return KeyError("keys exist already", dir);
  Keys::Secrets secrets;
  crypto_sign_keypair(secrets.public_key.bytes.data(), secrets.signing.data());
  randombytes_buf(secrets.hashing.data(), secrets.hashing.size());
  randombytes_buf(secrets.originals.data(), secrets.originals.size());
  secrets.storage = storage;
  secrets.cost = cost;
  if (Status written = WriteKeys(dir, secrets, passphrase); !written.ok()) return written.error();
  return secrets.public_key;
}

Result<Keys> LoadKeys(const std::string& dir, std::string_view passphrase) {
  if (!CryptoReady()) return Error(ErrorCode::kAuditKey, "no randomness");
  const std::string path = dir + std::string(kKeyFile);
  struct stat info{};
  if (::lstat(path.c_str(), &info) != 0) {
    return KeyError(errno == ENOENT ? "no keys in this folder" : std::string("cannot read keys: ") + strerror(errno),
                    dir);
  }
  if (!S_ISREG(info.st_mode)) return KeyError("key file is not a regular file", dir);
  if ((info.st_mode & 077) != 0) return KeyError("key file may be read by others", dir);
  Result<std::string> text = platform::ReadFile(path, std::size_t{64} << 10);
  if (!text.ok()) return KeyError(text.error().message(), dir);
  const Result<JsonDoc> doc = JsonDoc::Parse(text.value());
  sodium_memzero(text.value().data(), text.value().size());
  if (!doc.ok()) return KeyError("key file is damaged: " + doc.error().message(), dir);
  const JsonValue root = doc.value().root();
  if (root.Find("schema").string() != kSchema) return KeyError("unknown key file schema", dir);
  auto secrets = std::make_unique<Keys::Secrets>();
  Plain plain{};
  if (Status opened = OpenPlain(root, passphrase, dir, plain); !opened.ok()) return opened.error();
  Unpack(plain, *secrets);
  sodium_memzero(plain.data(), plain.size());
  if (root.Find("public").string() != secrets->public_key.ToHex()) {
    return KeyError("public and secret key do not belong together", dir);
  }
  secrets->storage = root.Find("storage").string() == "sealed" ? KeyStorage::kSealed : KeyStorage::kFile;
  secrets->cost = root.Find("cost").string() == "interactive" ? SealCost::kInteractive : SealCost::kModerate;
  return Keys(std::move(secrets));
}

Status ResealKeys(const std::string& dir, std::string_view old_passphrase, KeyStorage storage,
                  std::string_view new_passphrase, SealCost cost) {
  const Result<Keys> keys = LoadKeys(dir, old_passphrase);
  if (!keys.ok()) return keys.error();
  Keys::Secrets secrets = keys.value().secrets();
  secrets.storage = storage;
  secrets.cost = cost;
  return WriteKeys(dir, secrets, new_passphrase);
}

Result<PublicKey> ReadPublicKey(const std::string& dir) {
  const Result<std::string> text = platform::ReadFile(dir + std::string(kPublicKeyFile), 1024);
  if (!text.ok()) return Error(ErrorCode::kAuditKey, text.error().message(), text.error().place());
  const std::optional<PublicKey> key = PublicKey::FromHex(text.value());
  if (!key) return Error(ErrorCode::kAuditKey, "not a public key", {.file = dir + std::string(kPublicKeyFile)});
  return *key;
}

Result<std::string> ReadPassphrase(int fd) {
  std::string passphrase;
  for (;;) {
    char c = 0;
    const Result<platform::Transfer> got = platform::ReadSome(fd, {&c, 1});
    if (!got.ok()) return got.error();
    if (got.value().state != platform::Transfer::State::kMoved || c == '\n') break;
    if (passphrase.size() == 1024) return Error(ErrorCode::kLimitExceeded, "passphrase is longer than 1024 bytes");
    passphrase.push_back(c);
  }
  if (passphrase.ends_with('\r')) passphrase.pop_back();
  if (passphrase.empty()) return Error(ErrorCode::kAuditKey, "passphrase is empty");
  return passphrase;
}

}  // namespace interlock::runtime::audit
