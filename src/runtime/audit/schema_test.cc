// The schema file against what is written.
#include <set>

#include "gmock/gmock.h"
#include "interlock/platform/file.h"
#include "interlock/runtime/audit/query.h"
#include "testing.h"

namespace interlock::runtime::audit {
namespace {

using base::JsonDoc;
using base::JsonValue;
using base::Result;

class SchemaTest : public testing::Test {
 protected:
  void SetUp() override {
    Result<std::string> text =
        platform::ReadFile(std::string(INTERLOCK_SOURCE_DIR) + "/schemas/interlock.audit.v1.json", 1 << 20);
    ASSERT_TRUE(text.ok());
    Result<JsonDoc> doc = JsonDoc::Parse(text.value());
    ASSERT_TRUE(doc.ok()) << doc.error().ToString();
    schema_ = std::move(doc.value());
  }
  JsonDoc schema_;
};

TEST_F(SchemaTest, NamesEveryKind) {
  std::set<std::string> named;
  for (const JsonValue kind : schema_.root().FindPointer("/$defs/row/properties/kind/enum")) {
    named.emplace(kind.string());
  }
  std::set<std::string> known;
  for (int i = 0; i < kKindCount; ++i) known.emplace(NameOf(static_cast<Kind>(i)));
  EXPECT_EQ(named, known);
}

// Every field the log can write is in the schema, and the other way round.
TEST_F(SchemaTest, NamesEveryField) {
  TempDir dir;
  LogOptions options = TestOptions();
  {
    Result<AuditLog> log = AuditLog::Open(dir.path(), options);
    ASSERT_TRUE(log.ok());
    SampleCall call;
    call.decision().shadow = true;
    call.decision().errored_rules = {"r"};
    call.decision().rewritten_arguments = R"({"dry_run":true})";
    for (int i = 0; i < 100; ++i) call.decision().evidence.push_back(call.decision().evidence[0]);
    const std::vector<std::string_view> labels{"web"};
    Record record = call.Decision("s", "c");
    record.labels = labels;
    record.policy = record.definition = base::Sha256("x");
    record.actor = "a";
    record.name = "n";
    record.text = "t";
    record.count = 1;
    ASSERT_TRUE(log.value().Append(record).ok());
    record = call.Outcome("s", "c");
    record.decision_row = 3;
    ASSERT_TRUE(log.value().Append(record).ok());
    // A writer that dies with half a record in its journal.
    LogOptions failing = options;
    auto fail = std::make_shared<std::atomic<bool>>(false);
    failing.faults = [fail](FaultPoint point) { return *fail && point == FaultPoint::kJournalWrite ? EIO : 0; };
    Result<AuditLog> other = AuditLog::Open(dir.path(), failing);
    ASSERT_TRUE(other.ok());
    *fail = true;
    EXPECT_FALSE(other.value().Append(record).ok());
    EXPECT_FALSE(other.value().Close().ok());
    const std::string journal = dir / ("journal/" + other.value().chain() + ".000001.journal");
    Result<std::string> bytes = platform::ReadFile(journal, std::size_t{1} << 20);
    ASSERT_TRUE(bytes.ok());
    bytes.value().replace(bytes.value().find_last_not_of('\0') + 1, 8, "ROW1\x10\x10\0\0", 8);
    ASSERT_TRUE(platform::AtomicWrite(journal, bytes.value()).ok());
  }
  ASSERT_TRUE(RotateSigningKey(dir.path(), options).ok());
  std::set<std::string> written;
  const auto collect = [&] {
    ASSERT_TRUE(ForEachRow(dir.path(), {}, [&written](const StoredRow& row) {
                  Result<JsonDoc> body = JsonDoc::Parse(row.body);
                  EXPECT_TRUE(body.ok());
                  if (!body.ok()) return false;
                  const JsonValue root = body.value().root();
                  for (auto it = root.begin(); it != root.end(); ++it) written.emplace(it.key());
                  return true;
                }).ok());
  };
  collect();
  ASSERT_TRUE(Prune(dir.path(), base::WallTime{INT64_MAX}, options).ok());
  collect();
  std::set<std::string> named;
  const JsonValue properties = schema_.root().FindPointer("/$defs/row/properties");
  for (auto it = properties.begin(); it != properties.end(); ++it) named.emplace(it.key());
  EXPECT_EQ(written, named);
}

}  // namespace
}  // namespace interlock::runtime::audit
