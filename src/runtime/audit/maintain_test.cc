#include <sys/wait.h>
#include <unistd.h>

#include "db.h"
#include "gmock/gmock.h"
#include "interlock/runtime/audit/log.h"
#include "interlock/runtime/audit/query.h"
#include "testing.h"

namespace interlock::runtime::audit {
namespace {

using base::ErrorCode;
using base::Result;
using base::WallTime;
using Outcome = VerifyReport::Outcome;
using End = ChainReport::End;

constexpr std::int64_t kHour = std::int64_t{3600} * 1'000'000;

// Ten decisions, an hour apart, beginning at `from_us`; the chain is closed.
std::string WriteHours(const std::string& dir, std::int64_t from_us) {
  LogOptions options = TestOptions();
  auto now = std::make_shared<std::atomic<std::int64_t>>(from_us);
  options.clock = [now] { return base::Now{{now->load()}, {1}}; };
  const SampleCall call;
  Result<AuditLog> log = AuditLog::Open(dir, options);
  EXPECT_TRUE(log.ok());
  for (int i = 0; i < 10; ++i) {
    EXPECT_TRUE(log.value().Append(call.Decision("s", std::to_string(i))).ok());
    *now += kHour;
    EXPECT_TRUE(log.value().Checkpoint().ok());
  }
  EXPECT_TRUE(log.value().Close().ok());
  return log.value().chain();
}

TEST(RotateTest, OldRowsStayValidUnderEitherKey) {
  TempDir dir;
  WriteHours(dir.path(), kHour);
  Result<PublicKey> old_key = ReadPublicKey(dir.path());
  Result<PublicKey> middle_key = RotateSigningKey(dir.path(), TestOptions());
  ASSERT_TRUE(middle_key.ok()) << middle_key.error().ToString();
  Result<PublicKey> new_key = RotateSigningKey(dir.path(), TestOptions());
  ASSERT_TRUE(old_key.ok() && new_key.ok());
  EXPECT_NE(old_key.value(), new_key.value());
  EXPECT_EQ(ReadPublicKey(dir.path()).ok(), true);
  WriteHours(dir.path(), 2 * kHour);
  for (const PublicKey& key : {old_key.value(), middle_key.value(), new_key.value()}) {
    VerifyOptions options;
    options.key = key;
    const VerifyReport report = MustVerify(dir.path(), options);
    EXPECT_EQ(report.outcome, Outcome::kIntact) << RenderVerifyText(report);
    EXPECT_EQ(report.chains.size(), 4U);
  }
}

TEST(RotateTest, StatementThatIsNotSignedIsNotFollowed) {
  TempDir dir;
  TempDir other;
  WriteHours(dir.path(), kHour);
  Result<PublicKey> old_key = ReadPublicKey(dir.path());
  ASSERT_TRUE(RotateSigningKey(dir.path(), TestOptions()).ok());
  ASSERT_TRUE(old_key.ok());
  Tamper(dir.path(), "UPDATE rotations SET sig_old=sig_new");
  VerifyOptions options;
  options.key = old_key.value();
  EXPECT_EQ(MustVerify(dir.path(), options).outcome, Outcome::kBroken);
}

TEST(RotateTest, SealedKeysStaySealed) {
  TempDir dir;
  LogOptions options = TestOptions();
  options.new_key_storage = KeyStorage::kSealed;
  options.passphrase = "p";
  {
    ASSERT_TRUE(AuditLog::Open(dir.path(), options).ok());
  }
  Result<PublicKey> new_key = RotateSigningKey(dir.path(), options);
  ASSERT_TRUE(new_key.ok());
  EXPECT_FALSE(LoadKeys(dir.path()).ok());
  Result<Keys> keys = LoadKeys(dir.path(), "p");
  ASSERT_TRUE(keys.ok());
  EXPECT_EQ(keys.value().public_key(), new_key.value());
}

TEST(RotateTest, NeedsALog) {
  TempDir dir;
  EXPECT_EQ(RotateSigningKey(dir / "none", TestOptions()).error().code(), ErrorCode::kAuditKey);
}

TEST(PruneTest, RemovesAPrefixAndSaysSo) {
  TempDir dir;
  const std::string chain = WriteHours(dir.path(), kHour);
  const std::int64_t before = Number(dir.path(), "SELECT count(*) FROM rows");
  Result<PruneReport> pruned = Prune(dir.path(), WallTime{kHour + 5 * kHour}, TestOptions());
  ASSERT_TRUE(pruned.ok()) << pruned.error().ToString();
  EXPECT_EQ(pruned.value().chains, 1U);
  EXPECT_GT(pruned.value().rows, 5U);
  EXPECT_EQ(Number(dir.path(), "SELECT count(*) FROM rows WHERE chain='" + chain + "'"),
            before - static_cast<std::int64_t>(pruned.value().rows));
  EXPECT_EQ(Number(dir.path(), "SELECT count(*) FROM rows WHERE kind='decision'"), 5);
  const VerifyReport report = MustVerify(dir.path());
  EXPECT_EQ(report.outcome, Outcome::kIntact) << RenderVerifyText(report);
  EXPECT_EQ(report.pruned_rows, pruned.value().rows);
  EXPECT_EQ(report.chains[0].first_row, pruned.value().rows + 1);
  EXPECT_EQ(report.chains[0].end, End::kClean);

  // The rest, then everything of the pruning itself.
  ASSERT_TRUE(Prune(dir.path(), WallTime{100 * kHour}, TestOptions()).ok());
  EXPECT_EQ(Number(dir.path(), "SELECT count(*) FROM rows WHERE chain='" + chain + "'"), 0);
  EXPECT_EQ(MustVerify(dir.path()).outcome, Outcome::kIntact) << RenderVerifyText(MustVerify(dir.path()));
  ASSERT_TRUE(Prune(dir.path(), WallTime{INT64_MAX}, TestOptions()).ok());
  const VerifyReport last = MustVerify(dir.path());
  EXPECT_EQ(last.outcome, Outcome::kIntact) << RenderVerifyText(last);
  EXPECT_EQ(last.chains.size(), 4U);
}

TEST(PruneTest, TombstonesAreProtected) {
  TempDir dir;
  WriteHours(dir.path(), kHour);
  ASSERT_TRUE(Prune(dir.path(), WallTime{6 * kHour}, TestOptions()).ok());
  std::filesystem::copy(dir.path(), dir.path() + ".copy", std::filesystem::copy_options::recursive);
  Tamper(dir.path(), "DELETE FROM tombstones");
  EXPECT_EQ(MustVerify(dir.path()).outcome, Outcome::kBroken);
  Tamper(dir.path() + ".copy", "UPDATE tombstones SET through=through+1");
  EXPECT_EQ(MustVerify(dir.path() + ".copy").outcome, Outcome::kBroken);
  std::filesystem::remove_all(dir.path() + ".copy");
}

TEST(PruneTest, RefusesALogThatDoesNotVerify) {
  TempDir dir;
  WriteHours(dir.path(), kHour);
  Tamper(dir.path(), "UPDATE rows SET body=replace(body,'alice','mallory') WHERE row=5");
  const std::int64_t before = Number(dir.path(), "SELECT count(*) FROM rows");
  EXPECT_EQ(Prune(dir.path(), WallTime{100 * kHour}, TestOptions()).error().code(), ErrorCode::kAuditChain);
  EXPECT_GE(Number(dir.path(), "SELECT count(*) FROM rows"), before);
}

TEST(PruneTest, AnchorsOfPrunedRowsArePassed) {
  TempDir dir;
  LogOptions options = TestOptions();
  options.anchor_file = dir / "anchor";
  {
    Result<AuditLog> log = AuditLog::Open(dir / "log", options);
    ASSERT_TRUE(log.ok());
  }
  ASSERT_TRUE(Prune(dir / "log", WallTime{INT64_MAX}, TestOptions()).ok());
  VerifyOptions verify;
  verify.anchor_files = {options.anchor_file};
  const VerifyReport report = MustVerify(dir / "log", verify);
  EXPECT_EQ(report.outcome, Outcome::kIntact) << RenderVerifyText(report);
  EXPECT_EQ(report.anchors_pruned, 2U);
}

TEST(PruneTest, RunningWritersKeepTheirUnsignedRows) {
  TempDir dir;
  const SampleCall call;
  Result<AuditLog> log = AuditLog::Open(dir.path(), TestOptions());
  ASSERT_TRUE(log.ok());
  for (int i = 0; i < 10; ++i) ASSERT_TRUE(log.value().Append(call.Decision("s", "c")).ok());
  ASSERT_TRUE(log.value().Checkpoint().ok());
  for (int i = 0; i < 5; ++i) ASSERT_TRUE(log.value().Append(call.Decision("s", "d")).ok());
  ASSERT_TRUE(log.value().Flush().ok());
  ASSERT_TRUE(Prune(dir.path(), WallTime{INT64_MAX}, TestOptions()).ok());
  EXPECT_EQ(Number(dir.path(), "SELECT count(*) FROM rows WHERE call='c'"), 0);
  EXPECT_EQ(Number(dir.path(), "SELECT count(*) FROM rows WHERE call='d'"), 5);
  for (int i = 0; i < 5; ++i) ASSERT_TRUE(log.value().Append(call.Decision("s", "e")).ok());
  EXPECT_EQ(MustVerify(dir.path()).outcome, Outcome::kIntact) << RenderVerifyText(MustVerify(dir.path()));
  ASSERT_TRUE(log.value().Close().ok());
  EXPECT_EQ(MustVerify(dir.path()).outcome, Outcome::kIntact) << RenderVerifyText(MustVerify(dir.path()));
}

class OriginalsTest : public testing::Test {
 protected:
  void Write(const LogOptions& options) {
    Result<AuditLog> log = AuditLog::Open(dir_.path(), options);
    ASSERT_TRUE(log.ok());
    const SampleCall call(R"({"path":"/a","password":"hunter2"})");
    Record record = call.Decision("s", "1");
    ASSERT_TRUE(log.value().Append(record, &decision_).ok());
    record = call.Outcome("s", "1");
    ASSERT_TRUE(log.value().Append(record, &outcome_).ok());
    chain_ = log.value().chain();
    ASSERT_TRUE(log.value().Close().ok());
  }
  Result<std::string> Read(std::uint64_t row, std::string_view field) {
    Result<Keys> keys = LoadKeys(dir_.path());
    if (!keys.ok()) return keys.error();
    return ReadOriginal(dir_.path(), keys.value(), chain_, row, field);
  }
  TempDir dir_;
  std::string chain_;
  std::uint64_t decision_ = 0;
  std::uint64_t outcome_ = 0;
};

TEST_F(OriginalsTest, KeptEncryptedAndPurgedWithoutBreakingTheChain) {
  LogOptions options = TestOptions();
  options.bodies = Bodies::kEncryptedOriginal;
  Write(options);
  Result<std::string> arguments = Read(decision_, "arguments");
  ASSERT_TRUE(arguments.ok()) << arguments.error().ToString();
  EXPECT_EQ(arguments.value(), R"({"path":"/a","password":"hunter2"})");
  EXPECT_TRUE(Read(outcome_, "result").ok());
  EXPECT_EQ(Read(decision_, "result").error().code(), ErrorCode::kNotFound);
  EXPECT_EQ(Read(decision_, "session").error().code(), ErrorCode::kInvalidArgument);

  // Moved to another row it does not open.
  Tamper(dir_.path(),
         "UPDATE originals SET row=3 WHERE is_result=1; UPDATE originals SET is_result=0, row=4 WHERE row=3 AND "
         "is_result=0");
  EXPECT_EQ(Read(4, "arguments").error().code(), ErrorCode::kAuditChain);

  Result<std::uint64_t> early = PurgeOriginals(dir_.path(), WallTime{0});
  ASSERT_TRUE(early.ok());
  EXPECT_EQ(early.value(), 0U);
  Result<std::uint64_t> purged = PurgeOriginals(dir_.path(), WallTime{0}, true);
  ASSERT_TRUE(purged.ok());
  EXPECT_EQ(purged.value(), 2U);
  EXPECT_EQ(Read(decision_, "arguments").error().code(), ErrorCode::kNotFound);
  EXPECT_EQ(MustVerify(dir_.path()).outcome, Outcome::kIntact);
}

TEST_F(OriginalsTest, NoPlainSecretInAnyFile) {
  for (const Bodies bodies : {Bodies::kNone, Bodies::kRedacted, Bodies::kEncryptedOriginal}) {
    LogOptions options = TestOptions();
    options.bodies = bodies;
    Result<AuditLog> log = AuditLog::Open(dir_.path(), options);
    ASSERT_TRUE(log.ok());
    const SampleCall call(R"({"password":"hunter2-plain"})");
    const Record record = call.Decision("s", "1");
    ASSERT_TRUE(log.value().AppendDurable(record).ok());
    ASSERT_TRUE(log.value().Flush().ok());
    for (const auto& entry : std::filesystem::recursive_directory_iterator(dir_.path())) {
      if (!entry.is_regular_file()) continue;
      std::string bytes(entry.file_size(), '\0');
      FILE* file = ::fopen(entry.path().c_str(), "rb");
      ASSERT_NE(file, nullptr);
      bytes.resize(::fread(bytes.data(), 1, bytes.size(), file));
      ::fclose(file);
      EXPECT_EQ(bytes.find("hunter2-plain"), std::string::npos) << entry.path();
      // A plain digest would let guesses be tried.
      EXPECT_EQ(bytes.find(record.arguments_digest.ToHex()), std::string::npos) << entry.path();
    }
  }
}

TEST_F(OriginalsTest, ExpiredOnesGoWhenALogIsOpened) {
  LogOptions options = TestOptions();
  options.bodies = Bodies::kEncryptedOriginal;
  options.original_days = 0;
  Write(options);
  EXPECT_EQ(Number(dir_.path(), "SELECT count(*) FROM originals"), 2);
  ASSERT_TRUE(AuditLog::Open(dir_.path(), TestOptions()).ok());
  EXPECT_EQ(Number(dir_.path(), "SELECT count(*) FROM originals"), 0);
}

TEST_F(OriginalsTest, SurviveAKilledWriter) {
  const pid_t child = ::fork();
  if (child == 0) {
    LogOptions options = TestOptions();
    options.bodies = Bodies::kEncryptedOriginal;
    options.commit_interval_ms = 60'000;
    Result<AuditLog> log = AuditLog::Open(dir_.path(), options);
    const SampleCall call;
    if (log.ok()) (void)log.value().Append(call.Decision("s", "1"));
    ::_exit(0);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  ASSERT_TRUE(AuditLog::Open(dir_.path(), TestOptions()).ok());
  Result<std::vector<StoredRow>> rows = Query(dir_.path(), {.kind = Kind::kDecision});
  ASSERT_TRUE(rows.ok());
  ASSERT_EQ(rows.value().size(), 1U);
  chain_ = rows.value()[0].chain;
  EXPECT_TRUE(Read(rows.value()[0].row, "arguments").ok());
}

TEST(BodiesTest, NoneKeepsOnlyAKeyedDigest) {
  TempDir dir;
  LogOptions options = TestOptions();
  options.bodies = Bodies::kNone;
  {
    Result<AuditLog> log = AuditLog::Open(dir.path(), options);
    ASSERT_TRUE(log.ok());
    const SampleCall call;
    ASSERT_TRUE(log.value().Append(call.Decision("s", "1")).ok());
  }
  Result<std::vector<StoredRow>> rows = Query(dir.path(), {.kind = Kind::kDecision});
  ASSERT_TRUE(rows.ok());
  const Result<base::JsonDoc> doc = base::JsonDoc::Parse(rows.value()[0].body);
  ASSERT_TRUE(doc.ok());
  EXPECT_FALSE(doc.value().root().Find("arguments").exists());
  EXPECT_TRUE(doc.value().root().Find("arguments_digest").string().starts_with("hmac-sha256:"));
}

TEST(BodiesTest, LongOnesAreLeftOut) {
  TempDir dir;
  LogOptions options = TestOptions();
  options.max_arguments_bytes = 100;
  {
    Result<AuditLog> log = AuditLog::Open(dir.path(), options);
    ASSERT_TRUE(log.ok());
    const SampleCall call("{\"text\":\"" + std::string(500, 'x') + "\"}");
    ASSERT_TRUE(log.value().Append(call.Decision("s", "1")).ok());
  }
  Result<std::vector<StoredRow>> rows = Query(dir.path(), {.kind = Kind::kDecision});
  ASSERT_TRUE(rows.ok());
  const Result<base::JsonDoc> doc = base::JsonDoc::Parse(rows.value()[0].body);
  ASSERT_TRUE(doc.ok());
  EXPECT_EQ(doc.value().root().FindPointer("/arguments/$omitted").AsInt64(), 511);
}

TEST(MigrationTest, OldDatabaseIsBroughtForwardAndKeepsItsRows) {
  TempDir dir;
  {
    Result<Database> old = Database::OpenAtVersion(dir.path(), 1);
    ASSERT_TRUE(old.ok());
    Result<RowInserter> inserter = RowInserter::Prepare(old.value());
    EXPECT_FALSE(inserter.ok());  // version 1 has no originals
    ASSERT_TRUE(old.value().Run("INSERT INTO chains VALUES('00112233445566778899aabbccddeeff',1,0,x'',1,0)").ok());
  }
  EXPECT_EQ(Verify(dir.path()).error().code(), ErrorCode::kAuditSchema);  // readers do not migrate
  ASSERT_TRUE(CreateKeys(dir.path(), KeyStorage::kFile).ok());
  ASSERT_TRUE(AuditLog::Open(dir.path(), TestOptions()).ok());
  EXPECT_EQ(Number(dir.path(), "PRAGMA user_version"), kSchemaVersion);
  EXPECT_EQ(Number(dir.path(), "SELECT count(*) FROM chains"), 2);
  EXPECT_EQ(MustVerify(dir.path()).outcome, Outcome::kIntact);
}

TEST(MigrationTest, NewerDatabaseIsRefused) {
  TempDir dir;
  {
    ASSERT_TRUE(AuditLog::Open(dir.path(), TestOptions()).ok());
  }
  Tamper(dir.path(), "PRAGMA user_version=99");
  EXPECT_EQ(AuditLog::Open(dir.path(), TestOptions()).error().code(), ErrorCode::kAuditSchema);
  EXPECT_EQ(Verify(dir.path()).error().code(), ErrorCode::kAuditSchema);
  EXPECT_EQ(Query(dir.path(), {}).error().code(), ErrorCode::kAuditSchema);
}

}  // namespace
}  // namespace interlock::runtime::audit
