// Every way to change the log without its key must be seen.
#include "interlock/runtime/audit/verify.h"

#include <sys/wait.h>
#include <unistd.h>

#include <functional>

#include "gmock/gmock.h"
#include "interlock/platform/file.h"
#include "testing.h"

namespace interlock::runtime::audit {
namespace {

using base::ErrorCode;
using base::Result;
using Outcome = VerifyReport::Outcome;
using End = ChainReport::End;
using testing::Contains;
using testing::Field;

// A closed log of one chain: rows 1 open, 2 checkpoint, 3..12 decisions, 13 close, 14 checkpoint.
std::string WriteLog(const std::string& dir, LogOptions options = TestOptions()) {
  const SampleCall call;
  Result<AuditLog> log = AuditLog::Open(dir, std::move(options));
  EXPECT_TRUE(log.ok());
  for (int i = 0; i < 10; ++i) {
    EXPECT_TRUE(log.value().Append(call.Decision("s" + std::to_string(i % 3), "c" + std::to_string(i))).ok());
  }
  const std::string chain = log.value().chain();
  EXPECT_TRUE(log.value().Close().ok());
  return chain;
}

class VerifyTest : public testing::Test {
 protected:
  void SetUp() override {
    chain_ = WriteLog(dir_.path());
    ASSERT_EQ(MustVerify(dir_.path()).outcome, Outcome::kIntact);
  }
  TempDir dir_;
  std::string chain_;
};

struct Edit {
  std::string name;
  std::string sql;
  ErrorCode code;
  std::uint64_t row;  // 0: any
};

class TamperTest : public VerifyTest, public testing::WithParamInterface<Edit> {};

TEST_P(TamperTest, IsFound) {
  Tamper(dir_.path(), GetParam().sql);
  const VerifyReport report = MustVerify(dir_.path());
  EXPECT_EQ(report.outcome, Outcome::kBroken) << RenderVerifyText(report);
  bool found = false;
  for (const Finding& finding : report.findings) {
    found = found || (finding.code == GetParam().code && (GetParam().row == 0 || finding.row == GetParam().row));
  }
  EXPECT_TRUE(found) << RenderVerifyText(report);
}

INSTANTIATE_TEST_SUITE_P(
    Edits, TamperTest,
    testing::Values(
        Edit{"Body", "UPDATE rows SET body=replace(body,'alice','mallory') WHERE row=5", ErrorCode::kAuditChain, 5},
        Edit{"OneBitOfAHash", "UPDATE rows SET hash=substr(hash,1,31)||x'00' WHERE row=5", ErrorCode::kAuditChain, 5},
        Edit{"HashGone", "UPDATE rows SET hash=x'' WHERE row=5", ErrorCode::kAuditChain, 5},
        Edit{"ColumnVerdict", "UPDATE rows SET verdict='allow' WHERE row=5", ErrorCode::kAuditChain, 5},
        Edit{"ColumnSession", "UPDATE rows SET session='other' WHERE row=6", ErrorCode::kAuditChain, 6},
        Edit{"ColumnTool", "UPDATE rows SET tool=NULL WHERE row=6", ErrorCode::kAuditChain, 6},
        Edit{"ColumnKind", "UPDATE rows SET kind='notice' WHERE row=7", ErrorCode::kAuditChain, 7},
        Edit{"ColumnTime", "UPDATE rows SET t=t+1 WHERE row=7", ErrorCode::kAuditChain, 7},
        Edit{"ColumnDecisionRow", "UPDATE rows SET decision_row=4 WHERE row=7", ErrorCode::kAuditChain, 7},
        Edit{"Deletion", "DELETE FROM rows WHERE row=5", ErrorCode::kAuditChain, 5},
        Edit{"DeletionOfFirst", "DELETE FROM rows WHERE row=1", ErrorCode::kAuditChain, 1},
        Edit{"DeletionOfSeveral", "DELETE FROM rows WHERE row BETWEEN 5 AND 8", ErrorCode::kAuditChain, 5},
        Edit{"CutTail", "DELETE FROM rows WHERE row>8", ErrorCode::kAuditTruncated, 9},
        Edit{"FirstAndLastCheckpoint", "DELETE FROM rows WHERE row=14; DELETE FROM rows WHERE row=2",
             ErrorCode::kAuditChain, 2},
        Edit{"WholeChain", "DELETE FROM rows", ErrorCode::kAuditTruncated, 1},
        Edit{"SwapOfRows",
             "UPDATE rows SET row=100 WHERE row=5; UPDATE rows SET row=5 WHERE row=6; UPDATE rows SET row=6 WHERE "
             "row=100",
             ErrorCode::kAuditChain, 0},
        Edit{"SwapOfArrival",
             "UPDATE rows SET seq=1000 WHERE row=5; UPDATE rows SET seq=5 WHERE row=6; UPDATE rows SET seq=6 WHERE "
             "seq=1000",
             ErrorCode::kAuditChain, 0},
        Edit{"Renumbering", "DELETE FROM rows WHERE row=5; UPDATE rows SET row=row-1 WHERE row>5",
             ErrorCode::kAuditChain, 5},
        Edit{"InsertionAtTheEnd",
             "INSERT INTO rows(chain,row,t,kind,body,hash) SELECT chain,15,t,kind,body,hash FROM rows WHERE row=3",
             ErrorCode::kAuditChain, 15},
        Edit{
            "InsertionOfAChain",
            "INSERT INTO rows(chain,row,t,kind,body,hash) SELECT 'ffffffffffffffffffffffffffffffff',1,t,kind,body,hash "
            "FROM rows WHERE row=1",
            ErrorCode::kAuditChain, 1},
        Edit{"Signature",
             "UPDATE rows SET body=replace(body,'\"sig\":\"','\"sig\":\"0') WHERE kind='checkpoint' AND row=14",
             ErrorCode::kAuditSignature, 14},
        Edit{"Trigger", "CREATE TRIGGER x AFTER INSERT ON rows BEGIN DELETE FROM rows; END", ErrorCode::kAuditSchema,
             0},
        Edit{"View", "CREATE VIEW y AS SELECT * FROM rows", ErrorCode::kAuditSchema, 0},
        Edit{"ForgedTombstone",
             "INSERT INTO tombstones SELECT chain,5,hash,5,0,0,'00','00' FROM rows WHERE row=5; DELETE FROM rows WHERE "
             "row<=5",
             ErrorCode::kAuditSignature, 5}),
    [](const testing::TestParamInfo<Edit>& edit) { return edit.param.name; });

TEST_F(VerifyTest, BodyThatIsNotJson) {
  Tamper(dir_.path(), "UPDATE rows SET body='{' WHERE row=5");
  EXPECT_EQ(MustVerify(dir_.path()).outcome, Outcome::kBroken);
}

// Somebody who rewrites a row and then every hash after it: only the signatures stand in the way.
TEST_F(VerifyTest, RecomputedChainFailsAtTheCheckpoint) {
  sqlite3* db = nullptr;
  ASSERT_EQ(sqlite3_open((dir_ / "audit.db").c_str(), &db), SQLITE_OK);
  ASSERT_EQ(
      sqlite3_exec(db, "UPDATE rows SET body=replace(body,'alice','mally') WHERE row=5", nullptr, nullptr, nullptr),
      SQLITE_OK);
  base::Digest hash = base::Sha256("interlock.audit.chain/v1\n" + chain_);
  sqlite3_stmt* read = nullptr;
  sqlite3_stmt* write = nullptr;
  ASSERT_EQ(sqlite3_prepare_v2(db, "SELECT body FROM rows WHERE row=?", -1, &read, nullptr), SQLITE_OK);
  ASSERT_EQ(sqlite3_prepare_v2(db, "UPDATE rows SET hash=? WHERE row=?", -1, &write, nullptr), SQLITE_OK);
  for (int row = 1; row <= 14; ++row) {
    sqlite3_reset(read);
    sqlite3_bind_int(read, 1, row);
    ASSERT_EQ(sqlite3_step(read), SQLITE_ROW);
    const std::string previous(hash.bytes.begin(), hash.bytes.end());
    hash = base::Sha256(previous + std::string(static_cast<const char*>(sqlite3_column_blob(read, 0)),
                                               static_cast<std::size_t>(sqlite3_column_bytes(read, 0))));
    sqlite3_reset(write);
    sqlite3_bind_blob(write, 1, hash.bytes.data(), 32, SQLITE_TRANSIENT);
    sqlite3_bind_int(write, 2, row);
    ASSERT_EQ(sqlite3_step(write), SQLITE_DONE);
  }
  sqlite3_finalize(read);
  sqlite3_finalize(write);
  sqlite3_close(db);
  const VerifyReport report = MustVerify(dir_.path());
  EXPECT_EQ(report.outcome, Outcome::kBroken);
  ASSERT_FALSE(report.findings.empty());
  EXPECT_EQ(report.findings[0].code, ErrorCode::kAuditSignature);
  EXPECT_EQ(report.findings[0].row, 13U);  // what the last checkpoint signed
}

TEST_F(VerifyTest, SaysWhereAChangedRowIsAndThatOthersAreGood) {
  Tamper(dir_.path(), "UPDATE rows SET body=replace(body,'alice','mallory') WHERE row=5");
  const VerifyReport report = MustVerify(dir_.path());
  EXPECT_EQ(report.finding_count, 1U) << RenderVerifyText(report);
  EXPECT_EQ(report.findings[0].row, 5U);
  EXPECT_EQ(report.findings[0].chain, chain_);
}

TEST_F(VerifyTest, FindingsAreCountedPastTheLimit) {
  Tamper(dir_.path(), "UPDATE rows SET verdict='allow' WHERE kind='decision'");
  VerifyOptions options;
  options.max_findings = 2;
  const VerifyReport report = MustVerify(dir_.path(), options);
  EXPECT_EQ(report.findings.size(), 2U);
  EXPECT_EQ(report.finding_count, 10U);
}

TEST_F(VerifyTest, KeyFromOutside) {
  Result<PublicKey> own = ReadPublicKey(dir_.path());
  ASSERT_TRUE(own.ok());
  VerifyOptions options;
  options.key = own.value();
  const VerifyReport good = MustVerify(dir_.path(), options);
  EXPECT_EQ(good.outcome, Outcome::kIntact);
  EXPECT_FALSE(good.key_from_folder);

  // A log that somebody made with a key of their own.
  TempDir other;
  WriteLog(other.path());
  const VerifyReport forged = MustVerify(other.path(), options);
  EXPECT_EQ(forged.outcome, Outcome::kBroken);
  EXPECT_THAT(forged.findings, Contains(Field(&Finding::code, ErrorCode::kAuditSignature)));
  EXPECT_EQ(forged.signatures, 0U);
}

TEST_F(VerifyTest, ChainThatLaterOnesNameCannotVanish) {
  WriteLog(dir_.path());
  ASSERT_EQ(MustVerify(dir_.path()).outcome, Outcome::kIntact);
  Tamper(dir_.path(), "DELETE FROM rows WHERE chain='" + chain_ + "'; DELETE FROM chains WHERE chain='" + chain_ + "'");
  const VerifyReport report = MustVerify(dir_.path());
  EXPECT_EQ(report.outcome, Outcome::kBroken);
  EXPECT_THAT(report.findings, Contains(Field(&Finding::chain, chain_)));
}

TEST(VerifyAnchorTest, CutTailIsCaughtAgainstTheAnchor) {
  TempDir dir;
  LogOptions options = TestOptions();
  options.anchor_file = dir / "anchor";
  const std::string log = dir / "log";
  const std::string chain = WriteLog(log, options);
  VerifyOptions verify;
  verify.anchor_files = {options.anchor_file};
  const VerifyReport good = MustVerify(log, verify);
  EXPECT_EQ(good.outcome, Outcome::kIntact) << RenderVerifyText(good);
  EXPECT_EQ(good.anchors, 2U);

  // A careful cut: rows, register and all, back to the checkpoint in row 2.
  Tamper(log, "DELETE FROM rows WHERE row>2; UPDATE chains SET last_row=2");
  EXPECT_EQ(MustVerify(log).outcome, Outcome::kUnclean);  // without the anchor it looks like a killed writer
  const VerifyReport cut = MustVerify(log, verify);
  EXPECT_EQ(cut.outcome, Outcome::kBroken);
  ASSERT_EQ(cut.findings.size(), 1U);
  EXPECT_EQ(cut.findings[0].code, ErrorCode::kAuditTruncated);
  EXPECT_EQ(cut.findings[0].row, 13U);
  EXPECT_EQ(cut.findings[0].chain, chain);

  // And the whole chain.
  Tamper(log, "DELETE FROM rows; DELETE FROM chains");
  EXPECT_THAT(MustVerify(log, verify).findings, Contains(Field(&Finding::code, ErrorCode::kAuditTruncated)));
}

TEST(VerifyAnchorTest, AnchorsAreCheckedThemselves) {
  TempDir dir;
  LogOptions options = TestOptions();
  options.anchor_file = dir / "anchor";
  WriteLog(dir / "log", options);
  Result<std::string> bytes = platform::ReadFile(options.anchor_file, 1 << 20);
  ASSERT_TRUE(bytes.ok());
  std::string changed = bytes.value();
  changed.replace(changed.find("\"row\":1,"), 8, "\"row\":3,");
  ASSERT_TRUE(platform::AtomicWrite(dir / "changed", changed).ok());
  ASSERT_TRUE(platform::AtomicWrite(dir / "torn", bytes.value().substr(0, bytes.value().size() - 20)).ok());
  ASSERT_TRUE(platform::AtomicWrite(dir / "noise", "not an anchor\n[]\n").ok());
  VerifyOptions verify;
  verify.anchor_files = {dir / "changed"};
  EXPECT_THAT(MustVerify(dir / "log", verify).findings, Contains(Field(&Finding::code, ErrorCode::kAuditSignature)));
  verify.anchor_files = {dir / "noise"};
  EXPECT_EQ(MustVerify(dir / "log", verify).finding_count, 2U);
  verify.anchor_files = {dir / "torn"};
  const VerifyReport torn = MustVerify(dir / "log", verify);
  EXPECT_EQ(torn.outcome, Outcome::kIntact);
  EXPECT_EQ(torn.anchors, 1U);
  EXPECT_GE(torn.notes.size(), 2U);  // it says so
  verify.anchor_files = {dir / "missing"};
  EXPECT_EQ(Verify(dir / "log", verify).error().code(), ErrorCode::kFileNotFound);
}

TEST(VerifyFolderTest, NothingThere) {
  TempDir dir;
  EXPECT_EQ(Verify(dir.path()).error().code(), ErrorCode::kFileNotFound);
}

TEST(VerifyFolderTest, NotADatabase) {
  TempDir dir;
  WriteLog(dir.path());
  ASSERT_TRUE(platform::AtomicWrite(dir / "audit.db", std::string(8192, 'x')).ok());
  EXPECT_EQ(Verify(dir.path()).error().code(), ErrorCode::kAuditSchema);
  EXPECT_FALSE(AuditLog::Open(dir.path(), TestOptions()).ok());
}

TEST(VerifyFolderTest, DamagedPagesAreAFinding) {
  TempDir dir;
  WriteLog(dir.path());
  Tamper(dir.path(), "PRAGMA wal_checkpoint(TRUNCATE)");
  Result<std::string> bytes = platform::ReadFile(dir / "audit.db", std::size_t{1} << 24);
  ASSERT_TRUE(bytes.ok());
  // Every page but the first, which holds the schema.
  for (std::size_t at = 4096; at + 64 < bytes.value().size(); at += 4096) bytes.value().replace(at, 8, "damaged!");
  ASSERT_TRUE(platform::AtomicWrite(dir / "audit.db", bytes.value()).ok());
  const Result<VerifyReport> report = Verify(dir.path());
  EXPECT_TRUE(!report.ok() || report.value().outcome == Outcome::kBroken);
}

TEST(VerifyFolderTest, CopyElsewhereVerifies) {
  TempDir dir;
  WriteLog(dir / "log");
  std::filesystem::copy(dir / "log", dir / "copy", std::filesystem::copy_options::recursive);
  EXPECT_EQ(MustVerify(dir / "copy").outcome, Outcome::kIntact);
  Tamper(dir / "copy", "UPDATE rows SET body=replace(body,'alice','mallory') WHERE row=5");
  EXPECT_EQ(MustVerify(dir / "copy").outcome, Outcome::kBroken);
  EXPECT_EQ(MustVerify(dir / "log").outcome, Outcome::kIntact);
}

// A journal whose rows are not yet in the database is part of what is verified.
TEST(VerifyJournalTest, RowsOnlyInTheJournal) {
  TempDir dir;
  const pid_t child = ::fork();
  if (child == 0) {
    LogOptions options = TestOptions();
    options.commit_interval_ms = 60'000;
    Result<AuditLog> log = AuditLog::Open(dir.path(), options);
    const SampleCall call;
    for (int i = 0; log.ok() && i < 50; ++i) (void)log.value().Append(call.Decision("s", std::to_string(i)));
    ::_exit(0);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  const VerifyReport report = MustVerify(dir.path());
  EXPECT_EQ(report.outcome, Outcome::kUnclean) << RenderVerifyText(report);
  ASSERT_EQ(report.chains.size(), 1U);
  EXPECT_GE(report.chains[0].journal_only_rows, 50U);
  EXPECT_EQ(report.chains[0].rows, 52U);
  EXPECT_EQ(report.chains[0].unclean_since, 2U);

  // Taking the journal away is a cut like another: rows 3 and on are gone, and nothing but an anchor could tell.
  for (const auto& entry : std::filesystem::directory_iterator(dir / "journal")) {
    if (entry.path().extension() == ".journal") std::filesystem::remove(entry.path());
  }
  EXPECT_LE(MustVerify(dir.path()).rows, 2U);
}

TEST(VerifyRenderTest, TextAndJson) {
  TempDir dir;
  WriteLog(dir.path());
  Tamper(dir.path(), "UPDATE rows SET body=replace(body,'alice','mallory') WHERE row=5");
  const VerifyReport report = MustVerify(dir.path());
  const std::string text = RenderVerifyText(report);
  EXPECT_NE(text.find("E0802"), std::string::npos);
  EXPECT_NE(text.find("row 5"), std::string::npos);
  const Result<base::JsonDoc> json = base::JsonDoc::Parse(RenderVerifyJson(report));
  ASSERT_TRUE(json.ok());
  const base::JsonValue root = json.value().root();
  EXPECT_EQ(root.Find("schema").string(), "interlock.audit.verify/v1");
  EXPECT_EQ(root.Find("outcome").string(), "broken");
  EXPECT_EQ(root.FindPointer("/findings/0/code").string(), "E0802");
  EXPECT_EQ(root.FindPointer("/findings/0/row").AsInt64(), 5);
  EXPECT_EQ(root.FindPointer("/chains/0/end").string(), "clean");
}

}  // namespace
}  // namespace interlock::runtime::audit
