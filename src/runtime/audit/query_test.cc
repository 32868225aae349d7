#include "interlock/runtime/audit/query.h"

#include <set>

#include "gmock/gmock.h"
#include "interlock/core/trace.h"
#include "testing.h"

namespace interlock::runtime::audit {
namespace {

using base::ErrorCode;
using base::JsonDoc;
using base::JsonValue;
using base::Result;

// Two sessions: s1 with a blocked and a forwarded call that was answered, s2 with an approved one that failed.
class QueryTest : public testing::Test {
 protected:
  void SetUp() override {
    Result<AuditLog> log = AuditLog::Open(dir_.path(), TestOptions());
    ASSERT_TRUE(log.ok());
    AuditLog& audit = log.value();
    Record start;
    start.kind = Kind::kSessionStart;
    start.session = "s1";
    start.principal = "alice";
    start.environment = "prod";
    start.text = "read the file, the password=hunter2";
    start.time.us = 1'000'000;
    ASSERT_TRUE(audit.Append(start).ok());

    SampleCall blocked;
    Record record = blocked.Decision("s1", "1", "write_file");
    record.time.us = 2'000'000;
    record.side_effect = core::SideEffect::kWrite;
    ASSERT_TRUE(audit.Append(record).ok());

    SampleCall forwarded(R"({"path":"/srv/a","token":"abc"})");
    forwarded.decision() = core::Decision{};
    forwarded.decision().verdict = core::Verdict::kAllow;
    forwarded.decision().reason = core::Reason::kNone;
    record = forwarded.Decision("s1", "2");
    record.time.us = 3'000'000;
    record.enforcement = core::Enforcement::kForwarded;
    record.step = 1;
    std::uint64_t row = 0;
    ASSERT_TRUE(audit.Append(record, &row).ok());
    const SampleCall answer(R"({"content":[{"type":"text","text":"hello"},{"type":"text","text":"there"}]})");
    record = answer.Outcome("s1", "2");
    record.time.us = 4'000'000;
    record.decision_row = row;
    const std::vector<std::string_view> labels{"web"};
    record.labels = labels;
    ASSERT_TRUE(audit.Append(record).ok());

    SampleCall escalated;
    escalated.decision().verdict = core::Verdict::kEscalate;
    record = escalated.Decision("s2", "1", "deploy");
    record.time.us = 5'000'000;
    record.enforcement = core::Enforcement::kApproved;
    ASSERT_TRUE(audit.Append(record).ok());
    Record approval;
    approval.kind = Kind::kApprovalAnswered;
    approval.session = "s2";
    approval.call = "1";
    approval.actor = "bob";
    approval.name = "approved";
    approval.time.us = 6'000'000;
    ASSERT_TRUE(audit.Append(approval).ok());
    Record failed;
    failed.kind = Kind::kOutcome;
    failed.session = "s2";
    failed.call = "1";
    failed.status = CallStatus::kTimeout;
    failed.time.us = 7'000'000;
    ASSERT_TRUE(audit.Append(failed).ok());
    Record label;
    label.kind = Kind::kSessionLabel;
    label.session = "s2";
    label.name = "benign";
    label.actor = "bob";
    label.time.us = 8'000'000;
    ASSERT_TRUE(audit.Append(label).ok());
    Record changed;
    changed.kind = Kind::kToolsChanged;
    changed.server = "files";
    changed.tool = "deploy";
    changed.definition = base::Sha256("x");
    changed.time.us = 9'000'000;
    ASSERT_TRUE(audit.Append(changed).ok());
    ASSERT_TRUE(audit.Close().ok());
  }

  std::vector<std::string> Lines(ExportFormat format, const Filter& filter = {}) {
    std::vector<std::string> lines;
    const base::Status status = Export(dir_.path(), format, filter, [&lines](std::string_view line) {
      lines.emplace_back(line);
      return true;
    });
    EXPECT_TRUE(status.ok()) << (status.ok() ? "" : status.error().ToString());
    return lines;
  }
  std::size_t Count(const Filter& filter) {
    Result<std::vector<StoredRow>> rows = Query(dir_.path(), filter);
    EXPECT_TRUE(rows.ok());
    return rows.ok() ? rows.value().size() : 0;
  }

  TempDir dir_;
};

JsonDoc Parse(const std::string& line) {
  Result<JsonDoc> doc = JsonDoc::Parse(line);
  EXPECT_TRUE(doc.ok()) << line;
  return doc.ok() ? std::move(doc.value()) : JsonDoc();
}

TEST_F(QueryTest, Filters) {
  EXPECT_EQ(Count({}), 13U);
  EXPECT_EQ(Count({.session = "s1"}), 4U);
  EXPECT_EQ(Count({.tool = "deploy"}), 2U);
  EXPECT_EQ(Count({.session = "s1", .tool = "write_file"}), 1U);
  EXPECT_EQ(Count({.kind = Kind::kDecision}), 3U);
  EXPECT_EQ(Count({.verdict = core::Verdict::kBlock}), 1U);
  EXPECT_EQ(Count({.session = "nobody"}), 0U);
  EXPECT_EQ(Count({.session = "s1", .since = base::WallTime{3'000'000}}), 2U);
  EXPECT_EQ(Count({.session = "s1", .until = base::WallTime{3'000'000}}), 2U);
  EXPECT_EQ(Count({.chain = "nothing"}), 0U);
  EXPECT_EQ(Count({.session = "s1' OR '1'='1"}), 0U);
}

TEST_F(QueryTest, LimitsFromEitherEnd) {
  Result<std::vector<StoredRow>> first = Query(dir_.path(), {.kind = Kind::kDecision, .limit = 2});
  Result<std::vector<StoredRow>> last = Query(dir_.path(), {.kind = Kind::kDecision, .limit = 2, .newest = true});
  ASSERT_TRUE(first.ok() && last.ok());
  ASSERT_EQ(first.value().size(), 2U);
  ASSERT_EQ(last.value().size(), 2U);
  EXPECT_EQ(first.value()[1].row, last.value()[0].row);
  EXPECT_LT(last.value()[0].seq, last.value()[1].seq);
}

TEST_F(QueryTest, StopsWhenTheSinkHasEnough) {
  int seen = 0;
  ASSERT_TRUE(ForEachRow(dir_.path(), {}, [&seen](const StoredRow&) { return ++seen < 3; }).ok());
  EXPECT_EQ(seen, 3);
}

TEST_F(QueryTest, NoLog) {
  TempDir empty;
  EXPECT_EQ(Query(empty.path(), {}).error().code(), ErrorCode::kFileNotFound);
  EXPECT_EQ(Export(empty.path(), ExportFormat::kTrace, {}, [](std::string_view) { return true; }).error().code(),
            ErrorCode::kFileNotFound);
}

TEST_F(QueryTest, TailFollows) {
  Result<Tail> tail = Tail::Open(dir_.path(), {}, 3);
  ASSERT_TRUE(tail.ok());
  Result<std::vector<StoredRow>> rows = tail.value().Next();
  ASSERT_TRUE(rows.ok());
  EXPECT_EQ(rows.value().size(), 3U);
  rows = tail.value().Next();
  ASSERT_TRUE(rows.ok());
  EXPECT_TRUE(rows.value().empty());
  Result<AuditLog> log = AuditLog::Open(dir_.path(), TestOptions());
  ASSERT_TRUE(log.ok());
  ASSERT_TRUE(log.value().Flush().ok());
  rows = tail.value().Next();
  ASSERT_TRUE(rows.ok());
  EXPECT_EQ(rows.value().size(), 2U);  // opening row and checkpoint

  Result<Tail> only_new = Tail::Open(dir_.path(), {}, 0);
  ASSERT_TRUE(only_new.ok());
  rows = only_new.value().Next();
  ASSERT_TRUE(rows.ok());
  EXPECT_TRUE(rows.value().empty());
}

TEST_F(QueryTest, TextLineIsSafeForATerminal) {
  StoredRow row;
  row.chain = "0123456789abcdef";
  row.row = 7;
  row.time_us = 1'700'000'000'123'456;
  row.kind = Kind::kDecision;
  row.body = "{\"tool\":\"a\\u001b[31mb\\nc\",\"verdict\":\"block\"}";
  const std::string line = RenderRowText(row);
  EXPECT_EQ(line.find('\x1b'), std::string::npos);
  EXPECT_EQ(line.find('\n'), std::string::npos);
  EXPECT_EQ(line.substr(0, 27), "2023-11-14T22:13:20.123456Z");
  row.body = "{";
  EXPECT_FALSE(RenderRowText(row).empty());
}

TEST_F(QueryTest, JsonLinesCarryTheHashedBytes) {
  const std::vector<std::string> lines = Lines(ExportFormat::kJsonLines);
  ASSERT_EQ(lines.size(), 13U);
  base::Digest hash;
  std::string previous;
  for (const std::string& line : lines) {
    const JsonDoc doc = Parse(line);
    EXPECT_EQ(doc.root().Find("schema").string(), "interlock.audit/v1");
    // Anybody can follow the chain with nothing but SHA-256.
    if (previous.empty()) {
      hash = base::Sha256("interlock.audit.chain/v1\n" + std::string(doc.root().Find("chain").string()));
    }
    previous.assign(hash.bytes.begin(), hash.bytes.end());
    hash = base::Sha256(previous + std::string(doc.root().Find("row").raw()));
    EXPECT_EQ(hash.ToHex(), doc.root().Find("hash").string());
    EXPECT_EQ(line.find("hunter2"), std::string::npos);
  }
}

TEST_F(QueryTest, TraceReadsBack) {
  const std::vector<std::string> lines = Lines(ExportFormat::kTrace);
  ASSERT_EQ(lines.size(), 2U);
  Result<core::TraceSession> s1 = core::ParseTraceLine(lines[0]);
  ASSERT_TRUE(s1.ok()) << s1.error().ToString() << "\n" << lines[0];
  EXPECT_EQ(s1.value().session, "s1");
  EXPECT_EQ(s1.value().principal, "alice");
  ASSERT_EQ(s1.value().messages.size(), 4U);
  EXPECT_EQ(s1.value().messages[0].role, core::Role::kUser);
  EXPECT_EQ(s1.value().messages[1].calls[0].tool, "write_file");
  EXPECT_EQ(s1.value().messages[1].calls[0].decision.Find("verdict").string(), "block");
  EXPECT_EQ(s1.value().messages[1].calls[0].arguments.Find("path").string(), "/srv/a.txt");
  EXPECT_TRUE(s1.value().messages[2].calls[0].arguments.Find("token").Find("$hash").is_string());
  EXPECT_EQ(s1.value().messages[3].content, "hello\nthere");
  EXPECT_EQ(s1.value().messages[3].trust, core::Trust::kUntrusted);
  Result<core::TraceSession> s2 = core::ParseTraceLine(lines[1]);
  ASSERT_TRUE(s2.ok());
  ASSERT_EQ(s2.value().messages.size(), 2U);
  EXPECT_TRUE(s2.value().messages[1].is_error);

  EXPECT_EQ(Lines(ExportFormat::kTrace, {.tool = "deploy"}).size(), 1U);
}

TEST_F(QueryTest, TraceWithRepeatedCallIds) {
  {
    Result<AuditLog> log = AuditLog::Open(dir_.path(), TestOptions());
    ASSERT_TRUE(log.ok());
    const SampleCall call;
    for (int i = 0; i < 3; ++i) {
      std::uint64_t row = 0;
      Record record = call.Decision("again", "1");
      ASSERT_TRUE(log.value().Append(record, &row).ok());
      record = call.Outcome("again", "1");
      if (i == 2) record.decision_row = row;
      ASSERT_TRUE(log.value().Append(record).ok());
    }
    Record nameless = call.Decision("", "");
    ASSERT_TRUE(log.value().Append(nameless).ok());
  }
  const std::vector<std::string> lines = Lines(ExportFormat::kTrace, {.tool = "read_file"});
  ASSERT_EQ(lines.size(), 3U);
  Result<core::TraceSession> again = core::ParseTraceLine(lines[1]);
  ASSERT_TRUE(again.ok()) << again.error().ToString();
  EXPECT_EQ(again.value().messages.size(), 6U);
  EXPECT_TRUE(core::ParseTraceLine(lines[2]).ok());
}

TEST_F(QueryTest, Ocsf) {
  const std::vector<std::string> lines = Lines(ExportFormat::kOcsf);
  ASSERT_EQ(lines.size(), 4U);
  const JsonDoc blocked = Parse(lines[0]);
  const JsonValue b = blocked.root();
  EXPECT_EQ(b.Find("class_uid").AsInt64(), 6003);
  EXPECT_EQ(b.Find("category_uid").AsInt64(), 6);
  EXPECT_EQ(b.Find("activity_id").AsInt64(), 3);
  EXPECT_EQ(b.Find("type_uid").AsInt64(), 600303);
  EXPECT_EQ(b.Find("time").AsInt64(), 2000);
  EXPECT_EQ(b.Find("action_id").AsInt64(), 2);
  EXPECT_EQ(b.Find("disposition_id").AsInt64(), 2);
  EXPECT_EQ(b.Find("severity_id").AsInt64(), 4);
  EXPECT_EQ(b.Find("status_id").AsInt64(), 2);
  EXPECT_EQ(b.Find("is_alert").AsBool(), true);
  EXPECT_EQ(b.FindPointer("/api/operation").string(), "write_file");
  EXPECT_EQ(b.FindPointer("/api/service/name").string(), "files");
  EXPECT_EQ(b.FindPointer("/actor/user/name").string(), "alice");
  EXPECT_EQ(b.FindPointer("/metadata/profiles/0").string(), "security_control");
  EXPECT_EQ(b.FindPointer("/unmapped/reason").string(), core::IdOf(core::Reason::kPolicyRule));
  for (const std::string_view required : {"metadata", "src_endpoint", "actor", "api", "severity_id", "time"}) {
    EXPECT_TRUE(b.Find(required).exists()) << required;
  }
  const JsonDoc allowed = Parse(lines[1]);
  EXPECT_EQ(allowed.root().Find("action_id").AsInt64(), 1);
  EXPECT_EQ(allowed.root().Find("status_id").AsInt64(), 1);
  EXPECT_EQ(allowed.root().Find("is_alert").AsBool(), false);
  EXPECT_EQ(allowed.root().Find("duration").AsInt64(), 1);
  const JsonDoc approved = Parse(lines[2]);  // its outcome is joined by session and call
  EXPECT_EQ(approved.root().Find("disposition_id").AsInt64(), 8);
  EXPECT_EQ(approved.root().Find("status_id").AsInt64(), 2);
  EXPECT_EQ(approved.root().FindPointer("/api/response/error").string(), "timeout");
  const JsonDoc changed = Parse(lines[3]);
  EXPECT_EQ(changed.root().Find("class_uid").AsInt64(), 2004);
}

TEST_F(QueryTest, Tuples) {
  const std::vector<std::string> lines = Lines(ExportFormat::kTuples);
  ASSERT_EQ(lines.size(), 3U);
  const JsonDoc first = Parse(lines[0]);
  EXPECT_EQ(first.root().Find("schema").string(), "interlock.tuple/v1");
  EXPECT_EQ(first.root().FindPointer("/decision/verdict").string(), "block");
  EXPECT_TRUE(first.root().Find("result").is_null());
  EXPECT_TRUE(first.root().FindPointer("/outcome/label").is_null());
  const JsonDoc second = Parse(lines[1]);
  EXPECT_EQ(second.root().FindPointer("/state/refused").AsInt64(), 1);
  EXPECT_EQ(second.root().FindPointer("/state/recent/0").string(), "write_file:blocked");
  EXPECT_EQ(second.root().FindPointer("/state/step").AsInt64(), 1);
  EXPECT_EQ(second.root().FindPointer("/result/status").string(), "ok");
  EXPECT_EQ(second.root().FindPointer("/result/labels/0").string(), "web");
  EXPECT_TRUE(second.root().FindPointer("/call/arguments_digest").string().starts_with("hmac-sha256:"));
  const JsonDoc third = Parse(lines[2]);
  EXPECT_EQ(third.root().FindPointer("/outcome/approval/answer").string(), "approved");
  EXPECT_EQ(third.root().FindPointer("/outcome/label").string(), "benign");
  EXPECT_EQ(third.root().FindPointer("/outcome/labelled_by").string(), "bob");
  EXPECT_EQ(third.root().FindPointer("/result/status").string(), "timeout");
  EXPECT_EQ(Lines(ExportFormat::kTuples, {.verdict = core::Verdict::kEscalate}).size(), 1U);
}

// A proxy records the use of an approval before the decision that it makes possible.
TEST_F(QueryTest, TuplesNameTheApprovalThatWasUsed) {
  {
    Result<AuditLog> log = AuditLog::Open(dir_.path(), TestOptions());
    ASSERT_TRUE(log.ok());
    Record used;
    used.kind = Kind::kApprovalUsed;
    used.session = "s3";
    used.call = "7";
    used.actor = "carol";
    used.name = "a-0123456789";
    ASSERT_TRUE(log.value().Append(used).ok());
    SampleCall approved;
    ASSERT_TRUE(log.value().Append(approved.Decision("s3", "7", "deploy")).ok());
    ASSERT_TRUE(log.value().Append(approved.Decision("s3", "8", "deploy")).ok());
    ASSERT_TRUE(log.value().Close().ok());
  }
  const std::vector<std::string> lines = Lines(ExportFormat::kTuples, {.session = "s3"});
  ASSERT_EQ(lines.size(), 2U);
  const JsonDoc first = Parse(lines[0]);
  EXPECT_EQ(first.root().FindPointer("/outcome/approval/answer").string(), "approved");
  EXPECT_EQ(first.root().FindPointer("/outcome/approval/by").string(), "carol");
  EXPECT_EQ(first.root().FindPointer("/outcome/approval/id").string(), "a-0123456789");
  const JsonDoc second = Parse(lines[1]);
  EXPECT_FALSE(second.root().FindPointer("/outcome/approval").exists());
}

TEST(ExportFormatTest, Names) {
  EXPECT_EQ(ExportFormatFromName("jsonl"), ExportFormat::kJsonLines);
  EXPECT_EQ(ExportFormatFromName("trace"), ExportFormat::kTrace);
  EXPECT_EQ(ExportFormatFromName("ocsf"), ExportFormat::kOcsf);
  EXPECT_EQ(ExportFormatFromName("tuples"), ExportFormat::kTuples);
  EXPECT_FALSE(ExportFormatFromName("csv").has_value());
}

TEST(KindTest, NamesAreUniqueAndReadBack) {
  std::set<std::string_view> names;
  for (int i = 0; i < kKindCount; ++i) {
    const auto kind = static_cast<Kind>(i);
    EXPECT_TRUE(names.insert(NameOf(kind)).second) << NameOf(kind);
    EXPECT_EQ(KindFromName(NameOf(kind)), kind);
  }
  EXPECT_FALSE(KindFromName("nothing").has_value());
}

}  // namespace
}  // namespace interlock::runtime::audit
