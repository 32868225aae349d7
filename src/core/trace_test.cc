#include "interlock/core/trace.h"

#include <gmock/gmock.h>

#include <string>

namespace interlock::core {
namespace {

using base::ErrorCode;
using base::Result;
using testing::HasSubstr;
using testing::Not;

constexpr std::string_view kFull =
    R"({"schema":"interlock.trace/v1","session":"s1","domain":"files","principal":"alice","facts":{"alert":{"n":1}},"messages":[)"
    R"({"role":"system","content":"be careful"},{"role":"user","content":"copy a"},)"
    R"({"role":"assistant","content":"","calls":[)"
    R"({"id":"c1","tool":"read_file","arguments":{"path":"a","n":1e2},"decision":{"verdict":"allow"},)"
    R"("annotations":{"test.secret":"oracle-1"}},{"id":"c2","tool":"list"}]},)"
    R"({"role":"tool","call_id":"c1","content":"text","trust":"untrusted"},)"
    R"({"role":"tool","call_id":"c2","content":"gone","trust":"trusted","is_error":true},)"
    R"({"role":"assistant","content":"done"}],"annotations":{"test.label":"oracle-2"}})";

ErrorCode CodeOf(std::string_view line, const TraceLimits& limits = {}) {
  const Result<TraceSession> session = ParseTraceLine(line, limits);
  EXPECT_FALSE(session.ok()) << line;
  return session.ok() ? ErrorCode::kInternal : session.error().code();
}

std::string With(std::string_view messages) {
  return std::string(R"({"schema":"interlock.trace/v1","session":"s","messages":)") + std::string(messages) + "}";
}

TEST(TraceTest, ReadsASession) {
  const Result<TraceSession> read = ParseTraceLine(kFull);
  ASSERT_TRUE(read.ok()) << read.error().ToString();
  const TraceSession& session = read.value();
  EXPECT_EQ(session.session, "s1");
  EXPECT_EQ(session.domain, "files");
  EXPECT_EQ(session.principal, "alice");
  EXPECT_EQ(session.facts.Find("alert").raw(), R"({"n":1})");
  ASSERT_EQ(session.messages.size(), 6u);
  EXPECT_EQ(session.messages[0].role, Role::kSystem);
  EXPECT_EQ(session.messages[1].content, "copy a");
  ASSERT_EQ(session.messages[2].calls.size(), 2u);
  EXPECT_EQ(session.messages[2].calls[0].id, "c1");
  EXPECT_EQ(session.messages[2].calls[0].tool, "read_file");
  EXPECT_EQ(session.messages[2].calls[0].arguments.Find("n").number_text(), "1e2");
  EXPECT_EQ(session.messages[2].calls[0].decision.Find("verdict").string(), "allow");
  EXPECT_FALSE(session.messages[2].calls[1].arguments.exists());
  EXPECT_EQ(session.messages[3].trust, Trust::kUntrusted);
  EXPECT_EQ(session.messages[3].call_id, "c1");
  EXPECT_FALSE(session.messages[3].is_error);
  EXPECT_EQ(session.messages[4].trust, Trust::kTrusted);
  EXPECT_TRUE(session.messages[4].is_error);
  EXPECT_EQ(session.messages[5].role, Role::kAssistant);
}

TEST(TraceTest, ViewsSurviveAMove) {
  Result<TraceSession> read = ParseTraceLine(kFull);
  ASSERT_TRUE(read.ok());
  const TraceSession moved = std::move(read.value());
  EXPECT_EQ(moved.messages[2].calls[0].arguments.Find("path").string(), "a");
  EXPECT_EQ(moved.session, "s1");
}

// The contract that keeps evaluation honest: what a scorer gets holds no trace of an oracle, wherever it looks.
TEST(TraceTest, AnnotationsNeverReachASession) {
  const Result<TraceSession> plain = ParseTraceLine(kFull);
  ASSERT_TRUE(plain.ok());
  EXPECT_THAT(std::string(plain.value().doc.bytes()), Not(HasSubstr("oracle")));

  const Result<AnnotatedTrace> annotated = ParseAnnotatedTraceLine(kFull);
  ASSERT_TRUE(annotated.ok());
  EXPECT_EQ(annotated.value().session.doc.bytes(), plain.value().doc.bytes());
  EXPECT_EQ(annotated.value().session.messages.size(), plain.value().messages.size());
  EXPECT_EQ(annotated.value().annotations.session.Find("test.label").string(), "oracle-2");
  ASSERT_EQ(annotated.value().annotations.calls.size(), 1u);
  EXPECT_EQ(annotated.value().annotations.calls[0].first, "c1");
  EXPECT_EQ(annotated.value().annotations.calls[0].second.Find("test.secret").string(), "oracle-1");
}

TEST(TraceTest, AnnotationsAreFoundUnderAnEscapedKeyToo) {
  const Result<TraceSession> session = ParseTraceLine(
      R"({"schema":"interlock.trace/v1","session":"s","messages":[],"\u0061nnotations":{"label":"oracle"}})");
  ASSERT_TRUE(session.ok());
  EXPECT_THAT(std::string(session.value().doc.bytes()), Not(HasSubstr("oracle")));
}

// An argument or a decision may well be called "annotations": only the fields of the format are emptied.
TEST(TraceTest, TheReaderForTrainingSaysTheSameOfManyLines) {
  AnnotatedTraceReader reader;
  const std::string other = With(R"([{"role":"user","content":"other"}])");
  for (const std::string_view line : {kFull, std::string_view(other), kFull}) {
    const Result<AnnotatedTrace> alone = ParseAnnotatedTraceLine(line);
    ASSERT_TRUE(alone.ok());
    ASSERT_TRUE(reader.Read(line).ok());
    const TraceSession& session = reader.session();
    EXPECT_EQ(session.session, alone.value().session.session);
    ASSERT_EQ(session.messages.size(), alone.value().session.messages.size());
    for (std::size_t i = 0; i < session.messages.size(); ++i) {
      EXPECT_EQ(session.messages[i].content, alone.value().session.messages[i].content);
      EXPECT_EQ(session.messages[i].calls.size(), alone.value().session.messages[i].calls.size());
    }
    EXPECT_EQ(reader.annotations().session.exists(), alone.value().annotations.session.exists());
    EXPECT_EQ(reader.annotations().calls.size(), alone.value().annotations.calls.size());
    EXPECT_FALSE(session.doc.root().is_object()) << "annotations must not be reachable through the session";
  }
}

TEST(TraceTest, TheReaderForTrainingKeepsNothingOfAnEarlierLine) {
  AnnotatedTraceReader reader({.max_line_bytes = kFull.size()});
  ASSERT_TRUE(reader.Read(kFull).ok());
  ASSERT_TRUE(reader.annotations().session.exists());
  const std::string long_line(kFull.size() + 1, ' ');
  for (const std::string_view bad : {std::string_view("{"), std::string_view(R"({"schema":"interlock.trace/v2"})"),
                                     std::string_view(long_line), std::string_view()}) {
    const base::Status status = reader.Read(bad);
    ASSERT_FALSE(status.ok()) << bad;
    EXPECT_EQ(status.error().code(), CodeOf(bad, {.max_line_bytes = kFull.size()})) << bad;
    EXPECT_TRUE(reader.session().messages.empty());
    EXPECT_TRUE(reader.session().session.empty());
    EXPECT_FALSE(reader.annotations().session.exists());
    EXPECT_TRUE(reader.annotations().calls.empty());
  }
  EXPECT_TRUE(reader.Read(kFull).ok());
}

TEST(TraceTest, ArgumentsNamedAnnotationsStay) {
  const Result<TraceSession> session = ParseTraceLine(With(
      R"([{"role":"assistant","calls":[{"id":"c","tool":"t","arguments":{"annotations":{"a":1}},"annotations":{"b":2}}]}])"));
  ASSERT_TRUE(session.ok());
  EXPECT_EQ(session.value().messages[0].calls[0].arguments.raw(), R"({"annotations":{"a":1}})");
  EXPECT_THAT(std::string(session.value().doc.bytes()), Not(HasSubstr("\"b\"")));
}

TEST(TraceTest, UnknownFieldsAreErrors) {
  const std::string kBad[] = {
      R"({"schema":"interlock.trace/v1","session":"s","messages":[],"label":"attack"})",
      With(R"([{"role":"user","content":"x","name":"n"}])"),
      With(R"([{"role":"assistant","calls":[{"id":"c","tool":"t","type":"function"}]}])"),
      // Fields of another role are unknown as well.
      With(R"([{"role":"user","calls":[]}])"),
      With(R"([{"role":"assistant","trust":"trusted"}])"),
      With(R"([{"role":"user","call_id":"c"}])"),
      With(R"([{"role":"system","is_error":true}])"),
  };
  for (const std::string& line : kBad) EXPECT_EQ(CodeOf(line), ErrorCode::kTraceSchema) << line;
}

TEST(TraceTest, WrongShapesAreErrors) {
  const std::string kBad[] = {
      "[]",
      "{}",
      R"({"schema":"interlock.trace/v2","session":"s","messages":[]})",
      R"({"session":"s","messages":[]})",
      R"({"schema":"interlock.trace/v1","messages":[]})",
      R"({"schema":"interlock.trace/v1","session":"","messages":[]})",
      R"({"schema":"interlock.trace/v1","session":1,"messages":[]})",
      R"({"schema":"interlock.trace/v1","session":"s"})",
      R"({"schema":"interlock.trace/v1","session":"s","messages":{}})",
      R"({"schema":"interlock.trace/v1","session":"s","messages":[],"annotations":[]})",
      With(R"(["hi"])"),
      With(R"([{"content":"x"}])"),
      With(R"([{"role":"human","content":"x"}])"),
      With(R"([{"role":"user","content":null}])"),
      With(R"([{"role":"user","content":[{"text":"x"}]}])"),
      With(R"([{"role":"assistant","calls":{}}])"),
      With(R"([{"role":"assistant","calls":["c"]}])"),
      With(R"([{"role":"assistant","calls":[{"tool":"t"}]}])"),
      With(R"([{"role":"assistant","calls":[{"id":"","tool":"t"}]}])"),
      With(R"([{"role":"assistant","calls":[{"id":"c"}]}])"),
      With(R"([{"role":"assistant","calls":[{"id":"c","tool":"t","arguments":"{}"}]}])"),
      With(R"([{"role":"assistant","calls":[{"id":"c","tool":"t","decision":"allow"}]}])"),
      With(R"([{"role":"assistant","calls":[{"id":"c","tool":"t","annotations":1}]}])"),
      With(R"([{"role":"tool","content":"x"}])"),
      With(R"([{"role":"assistant","calls":[{"id":"c","tool":"t"}]},{"role":"tool","call_id":"c","trust":"yes"}])"),
      With(R"([{"role":"assistant","calls":[{"id":"c","tool":"t"}]},{"role":"tool","call_id":"c","is_error":1}])"),
      With(R"([{"role":"assistant","calls":[{"id":"c","tool":"t"},{"id":"c","tool":"t"}]}])"),
      With(R"([{"role":"assistant","calls":[{"id":"c","tool":"t"}]},)"
           R"({"role":"tool","call_id":"c"},{"role":"tool","call_id":"c"}])"),
  };
  for (const std::string& line : kBad) EXPECT_EQ(CodeOf(line), ErrorCode::kTraceSchema) << line;
}

TEST(TraceTest, JsonErrorsKeepTheirCodes) {
  EXPECT_EQ(CodeOf(""), ErrorCode::kJsonEmpty);
  EXPECT_EQ(CodeOf("{"), ErrorCode::kJsonSyntax);
  EXPECT_EQ(CodeOf(R"({"schema":"interlock.trace/v1","schema":"interlock.trace/v1"})"), ErrorCode::kJsonDuplicateKey);
}

TEST(TraceTest, AToolMessageNeedsAnEarlierCall) {
  EXPECT_EQ(CodeOf(With(R"([{"role":"tool","call_id":"c9","content":"x"}])")), ErrorCode::kTraceCallUnknown);
  EXPECT_EQ(CodeOf(With(R"([{"role":"tool","call_id":"c"},{"role":"assistant","calls":[{"id":"c","tool":"t"}]}])")),
            ErrorCode::kTraceCallUnknown);
}

TEST(TraceTest, ErrorsSayWhere) {
  const std::string line = With(R"([{"role":"user","content":"x"},{"role":"robot"}])");
  const Result<TraceSession> session = ParseTraceLine(line);
  ASSERT_FALSE(session.ok());
  EXPECT_EQ(session.error().place().offset, line.find(R"({"role":"robot"})"));
}

TEST(TraceTest, LimitsHoldAtTheLimit) {
  const std::string two = With(
      R"([{"role":"user","content":"x"},{"role":"assistant","calls":[{"id":"a","tool":"t"},{"id":"b","tool":"t"}]}])");
  EXPECT_TRUE(ParseTraceLine(two, {.max_line_bytes = two.size(), .max_messages = 2, .max_calls = 2}).ok());
  EXPECT_EQ(CodeOf(two, {.max_line_bytes = two.size() - 1}), ErrorCode::kTraceLineTooLong);
  EXPECT_EQ(CodeOf(two, {.max_messages = 1}), ErrorCode::kLimitExceeded);
  EXPECT_EQ(CodeOf(two, {.max_calls = 1}), ErrorCode::kLimitExceeded);
  EXPECT_EQ(CodeOf(two, {.max_values = 5}), ErrorCode::kJsonValues);
  // Calls are counted over the whole session, not a message.
  const std::string spread = With(R"([{"role":"assistant","calls":[{"id":"a","tool":"t"}]},)"
                                  R"({"role":"assistant","calls":[{"id":"b","tool":"t"}]}])");
  EXPECT_TRUE(ParseTraceLine(spread, {.max_calls = 2}).ok());
  EXPECT_EQ(CodeOf(spread, {.max_calls = 1}), ErrorCode::kLimitExceeded);
}

TEST(TraceTest, DeepArgumentsAreRefusedNotFollowed) {
  const std::string deep(2'000, '[');
  EXPECT_EQ(CodeOf(With(R"([{"role":"assistant","calls":[{"id":"c","tool":"t","arguments":{"a":)" + deep)),
            ErrorCode::kJsonDepth);
}

TEST(TraceWriterTest, WhatIsWrittenReadsBack) {
  std::string line;
  TraceWriter(line)
      .Begin("s \"1\"", "files", "alice")
      .System("sys")
      .User("line one\nline two")
      .Assistant("", {{.id = "c1",
                       .tool = "t",
                       .arguments_json = "{\r\n  \"n\": 1.50,\n  \"s\": \"a\\nb\"\n}",
                       .decision_json = R"({"verdict":"allow"})",
                       .annotations_json = "{\n\"k\":1}"},
                      {.id = "c2", .tool = "u"}})
      .Tool("c1", "out\n", Trust::kUntrusted)
      .Tool("c2", "bad", Trust::kUnknown, true)
      .Assistant("done", {})
      .End(R"({"label":"x"})");
  EXPECT_EQ(line.find_first_of("\r\n"), std::string::npos);
  const Result<AnnotatedTrace> read = ParseAnnotatedTraceLine(line);
  ASSERT_TRUE(read.ok()) << read.error().ToString();
  const TraceSession& session = read.value().session;
  EXPECT_EQ(session.session, "s \"1\"");
  EXPECT_EQ(session.messages[1].content, "line one\nline two");
  EXPECT_EQ(session.messages[2].calls[0].arguments.Find("n").number_text(), "1.50");
  EXPECT_EQ(session.messages[2].calls[0].arguments.Find("s").string(), "a\nb");
  EXPECT_EQ(session.messages[2].calls[0].decision.Find("verdict").string(), "allow");
  EXPECT_EQ(session.messages[3].content, "out\n");
  EXPECT_TRUE(session.messages[4].is_error);
  EXPECT_EQ(session.messages[5].content, "done");
  EXPECT_EQ(read.value().annotations.session.Find("label").string(), "x");
  ASSERT_EQ(read.value().annotations.calls.size(), 1u);
}

TEST(TraceWriterTest, AnEmptySessionIsASession) {
  std::string line;
  TraceWriter(line).Begin("s", "", "").End();
  EXPECT_EQ(line, R"({"schema":"interlock.trace/v1","session":"s","messages":[]})");
  EXPECT_TRUE(ParseTraceLine(line).ok());
}

TEST(TraceWriterTest, InvalidUtf8IsReplacedNotWritten) {
  std::string line;
  TraceWriter(line).Begin("s", "", "").User("a\xff\xc3").End();
  EXPECT_TRUE(ParseTraceLine(line).ok());
}

}  // namespace
}  // namespace interlock::core
