#include "interlock/runtime/audit/keys.h"

#include <sys/stat.h>
#include <unistd.h>

#include "crypto.h"
#include "gmock/gmock.h"
#include "interlock/platform/fd.h"
#include "interlock/platform/file.h"
#include "testing.h"

namespace interlock::runtime::audit {
namespace {

using base::ErrorCode;
using base::Result;

TEST(KeysTest, FileStorageRoundTrip) {
  TempDir dir;
  Result<PublicKey> made = CreateKeys(dir.path(), KeyStorage::kFile);
  ASSERT_TRUE(made.ok());
  Result<Keys> keys = LoadKeys(dir.path());
  ASSERT_TRUE(keys.ok()) << keys.error().ToString();
  EXPECT_EQ(keys.value().public_key(), made.value());
  Result<PublicKey> read = ReadPublicKey(dir.path());
  ASSERT_TRUE(read.ok());
  EXPECT_EQ(read.value(), made.value());
  EXPECT_EQ(CreateKeys(dir.path(), KeyStorage::kFile).error().code(), ErrorCode::kAuditKey);  // never overwrites
}

TEST(KeysTest, SealedStorageNeedsItsPassphrase) {
  TempDir dir;
  EXPECT_EQ(CreateKeys(dir.path(), KeyStorage::kSealed, "").error().code(), ErrorCode::kAuditKey);
  Result<PublicKey> made = CreateKeys(dir.path(), KeyStorage::kSealed, "correct horse", SealCost::kInteractive);
  ASSERT_TRUE(made.ok());
  Result<Keys> keys = LoadKeys(dir.path(), "correct horse");
  ASSERT_TRUE(keys.ok()) << keys.error().ToString();
  EXPECT_EQ(keys.value().public_key(), made.value());
  EXPECT_EQ(LoadKeys(dir.path(), "wrong").error().code(), ErrorCode::kAuditKey);
  EXPECT_EQ(LoadKeys(dir.path()).error().code(), ErrorCode::kAuditKey);
}

TEST(KeysTest, Reseal) {
  TempDir dir;
  Result<PublicKey> made = CreateKeys(dir.path(), KeyStorage::kFile);
  ASSERT_TRUE(made.ok());
  ASSERT_TRUE(ResealKeys(dir.path(), "", KeyStorage::kSealed, "new", SealCost::kInteractive).ok());
  EXPECT_FALSE(LoadKeys(dir.path()).ok());
  Result<Keys> sealed = LoadKeys(dir.path(), "new");
  ASSERT_TRUE(sealed.ok());
  EXPECT_EQ(sealed.value().public_key(), made.value());
  ASSERT_TRUE(ResealKeys(dir.path(), "new", KeyStorage::kFile).ok());
  EXPECT_TRUE(LoadKeys(dir.path()).ok());
}

TEST(KeysTest, RefusesFilesThatOthersMayRead) {
  TempDir dir;
  ASSERT_TRUE(CreateKeys(dir.path(), KeyStorage::kFile).ok());
  ASSERT_EQ(::chmod((dir / "keys.json").c_str(), 0640), 0);
  EXPECT_EQ(LoadKeys(dir.path()).error().code(), ErrorCode::kAuditKey);
}

TEST(KeysTest, RefusesLinksAndDamage) {
  TempDir dir;
  ASSERT_TRUE(CreateKeys(dir.path(), KeyStorage::kFile).ok());
  Result<std::string> text = platform::ReadFile(dir / "keys.json", 4096);
  ASSERT_TRUE(text.ok());
  for (const std::string& damaged :
       {std::string(), std::string("{}"), text.value().substr(0, 80), std::string(R"({"schema":"x"})"),
        std::string(R"({"schema":"interlock.audit.keys/v1","storage":"cloud"})"),
        // A key file must not make us ask for all the memory there is.
        std::string(R"({"schema":"interlock.audit.keys/v1","storage":"sealed","ops":3,"memory":1099511627776})")}) {
    ASSERT_TRUE(platform::AtomicWrite(dir / "keys.json", damaged, 0600).ok());
    EXPECT_EQ(LoadKeys(dir.path(), "p").error().code(), ErrorCode::kAuditKey) << damaged;
  }
  // Another secret under the same public key.
  std::string mixed = text.value();
  const std::size_t at = mixed.find("\"secret\":\"") + 10;
  mixed[at] = mixed[at] == '0' ? '1' : '0';
  ASSERT_TRUE(platform::AtomicWrite(dir / "keys.json", mixed, 0600).ok());
  EXPECT_EQ(LoadKeys(dir.path()).error().code(), ErrorCode::kAuditKey);
  ASSERT_EQ(::unlink((dir / "keys.json").c_str()), 0);
  ASSERT_TRUE(platform::AtomicWrite(dir / "elsewhere", text.value(), 0600).ok());
  ASSERT_EQ(::symlink((dir / "elsewhere").c_str(), (dir / "keys.json").c_str()), 0);
  EXPECT_EQ(LoadKeys(dir.path()).error().code(), ErrorCode::kAuditKey);
}

TEST(KeysTest, LogWithRowsButWithoutKeysDoesNotMakeNewOnes) {
  TempDir dir;
  {
    ASSERT_TRUE(AuditLog::Open(dir.path(), TestOptions()).ok());
  }
  ASSERT_EQ(::unlink((dir / "keys.json").c_str()), 0);
  EXPECT_EQ(AuditLog::Open(dir.path(), TestOptions()).error().code(), ErrorCode::kAuditKey);
}

TEST(KeysTest, LogWithSealedKeys) {
  TempDir dir;
  LogOptions options = TestOptions();
  options.new_key_storage = KeyStorage::kSealed;
  options.passphrase = "p";
  {
    ASSERT_TRUE(AuditLog::Open(dir.path(), options).ok());
  }
  EXPECT_EQ(MustVerify(dir.path()).outcome, VerifyReport::Outcome::kIntact);
  options.passphrase = "q";
  EXPECT_EQ(AuditLog::Open(dir.path(), options).error().code(), ErrorCode::kAuditKey);
}

TEST(KeysTest, Passphrase) {
  Result<platform::Pipe> pipe = platform::MakePipe();
  ASSERT_TRUE(pipe.ok());
  ASSERT_TRUE(platform::WriteAll(pipe.value().write_end.get(), "open sesame\nrest").ok());
  Result<std::string> phrase = ReadPassphrase(pipe.value().read_end.get());
  ASSERT_TRUE(phrase.ok());
  EXPECT_EQ(phrase.value(), "open sesame");
  ASSERT_TRUE(platform::WriteAll(pipe.value().write_end.get(), std::string(2000, 'x')).ok());
  EXPECT_EQ(ReadPassphrase(pipe.value().read_end.get()).error().code(), ErrorCode::kLimitExceeded);
}

TEST(KeysTest, HexOfPublicKeys) {
  const std::string hex = "00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff";
  const auto key = PublicKey::FromHex(" " + hex + "\n");
  ASSERT_TRUE(key.has_value());
  EXPECT_EQ(key->ToHex(), hex);
  EXPECT_EQ(key->Id().size(), 16U);
  EXPECT_FALSE(PublicKey::FromHex(hex.substr(1)).has_value());
  EXPECT_FALSE(PublicKey::FromHex("").has_value());
  EXPECT_FALSE(PublicKey::FromHex(hex.substr(0, 63) + "g").has_value());
}

TEST(CryptoTest, SignatureIsForOneMessageAndOneKey) {
  TempDir dir;
  ASSERT_TRUE(CreateKeys(dir / "a", KeyStorage::kFile).ok());
  ASSERT_TRUE(CreateKeys(dir / "b", KeyStorage::kFile).ok());
  Result<Keys> a = LoadKeys(dir / "a");
  Result<Keys> b = LoadKeys(dir / "b");
  ASSERT_TRUE(a.ok() && b.ok());
  const std::string signature = Sign(a.value().secrets(), "m");
  EXPECT_TRUE(SignatureFits(a.value().public_key(), "m", signature));
  EXPECT_FALSE(SignatureFits(a.value().public_key(), "n", signature));
  EXPECT_FALSE(SignatureFits(b.value().public_key(), "m", signature));
  EXPECT_FALSE(SignatureFits(a.value().public_key(), "m", signature.substr(2)));
  EXPECT_FALSE(SignatureFits(a.value().public_key(), "m", ""));
}

TEST(CryptoTest, OriginalOpensOnlyAtItsPlace) {
  TempDir dir;
  ASSERT_TRUE(CreateKeys(dir.path(), KeyStorage::kFile).ok());
  Result<Keys> keys = LoadKeys(dir.path());
  ASSERT_TRUE(keys.ok());
  std::string sealed;
  SealOriginal(keys.value().secrets(), "chain:3:arguments", "secret text", sealed);
  EXPECT_EQ(sealed.find("secret"), std::string::npos);
  Result<std::string> plain = OpenOriginal(keys.value().secrets(), "chain:3:arguments", sealed);
  ASSERT_TRUE(plain.ok());
  EXPECT_EQ(plain.value(), "secret text");
  EXPECT_FALSE(OpenOriginal(keys.value().secrets(), "chain:4:arguments", sealed).ok());
  sealed.back() = static_cast<char>(sealed.back() ^ 1);
  EXPECT_FALSE(OpenOriginal(keys.value().secrets(), "chain:3:arguments", sealed).ok());
  EXPECT_FALSE(OpenOriginal(keys.value().secrets(), "chain:3:arguments", "short").ok());
}

}  // namespace
}  // namespace interlock::runtime::audit
