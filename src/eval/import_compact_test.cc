#include <gmock/gmock.h>

#include <string>
#include <string_view>
#include <vector>

#include "interlock/core/trace.h"
#include "interlock/eval/import.h"

namespace interlock::eval {
namespace {

using base::Status;

constexpr std::string_view kRecords[] = {
    R"({"set":"bench","domain":"files","kind":"attack","id":"a1","file":"f.json","sys":"k","prompt":"read it",)"
    R"("calls":[{"turn":0,"name":"read","args":{"path":"x","n":[1.50,{"k":"\u00fc"}]},"out":"f\u00fcr \"dich\": stop"},)"
    R"({"turn":0,"name":"list","args":{},"out":null},{"turn":1,"name":"send","args":{"to":"b"},"out":""}],)"
    R"("answer":"done","inj":[{"call":0,"begin":2,"end":6}],"meta":{"n":1.0},"intent":null})",
    R"({"id":"a","kind":"utility","prompt":"","calls":[]})",
    R"({"id":"a","kind":"attack","prompt":"p","calls":[{"turn":0,"name":"t","args":{},"out":"xy"},)"
    R"({"turn":4,"name":"t","args":{"a":null},"out":"ab"}],"inj":[{"call":1,"begin":2,"end":2},)"
    R"({"call":0,"begin":0,"end":1},{"call":1,"begin":0,"end":2}]})",
    R"({"id":"b","domain":null,"kind":"utility","prompt":"p","calls":[{"turn":0,"name":"t","args":{}}],"answer":""})",
};

void ExpectSame(const core::TraceSession& got, const core::TraceSession& want) {
  EXPECT_EQ(got.session, want.session);
  EXPECT_EQ(got.domain, want.domain);
  EXPECT_EQ(got.principal, want.principal);
  EXPECT_FALSE(got.facts.exists());
  ASSERT_EQ(got.messages.size(), want.messages.size());
  for (std::size_t i = 0; i < want.messages.size(); ++i) {
    const core::TraceMessage& a = got.messages[i];
    const core::TraceMessage& b = want.messages[i];
    EXPECT_EQ(a.role, b.role);
    EXPECT_EQ(a.content, b.content);
    EXPECT_EQ(a.call_id, b.call_id);
    EXPECT_EQ(a.trust, b.trust);
    EXPECT_EQ(a.is_error, b.is_error);
    ASSERT_EQ(a.calls.size(), b.calls.size());
    for (std::size_t k = 0; k < b.calls.size(); ++k) {
      EXPECT_EQ(a.calls[k].id, b.calls[k].id);
      EXPECT_EQ(a.calls[k].tool, b.calls[k].tool);
      EXPECT_EQ(a.calls[k].arguments.raw(), b.calls[k].arguments.raw());
      EXPECT_EQ(a.calls[k].decision.exists(), b.calls[k].decision.exists());
    }
  }
}

TEST(CompactTraceReaderTest, GivesTheSessionOfTheImportedLine) {
  CompactTraceReader reader;
  for (int round = 0; round < 2; ++round) {
    for (const std::string_view record : kRecords) {
      std::string line;
      ASSERT_TRUE(ImportCompactTrace(record, {}, line).ok());
      const auto want = core::ParseAnnotatedTraceLine(line);
      ASSERT_TRUE(want.ok());
      ASSERT_TRUE(reader.Read(record).ok()) << record;
      ExpectSame(reader.session(), want.value().session);
      EXPECT_EQ(reader.label(), want.value().annotations.session.Find("label").string());
      std::vector<std::string_view> injected;
      for (const auto& [id, value] : want.value().annotations.calls) {
        if (value.Find("injections").size() > 0) injected.push_back(id);
      }
      EXPECT_EQ(reader.injected_calls(), injected);
    }
  }
}

TEST(CompactTraceReaderTest, RefusesWhatTheImporterRefusesAndIsEmptyThen) {
  constexpr std::string_view kRefused[] = {
      R"({"id":"a","id":"b"})",
      R"([])",
      "",
      R"({"id":"a","kind":"odd","prompt":"p","calls":[]})",
      R"({"id":"a","kind":"attack","prompt":"p","calls":[{"turn":1,"name":"t","args":{}},{"turn":0,"name":"t","args":{}}]})",
      R"({"id":"a","kind":"attack","prompt":"p","calls":[],"inj":[{"call":0,"begin":0,"end":1}]})",
  };
  CompactTraceReader reader;
  for (const std::string_view record : kRefused) {
    ASSERT_TRUE(reader.Read(kRecords[0]).ok());
    std::string line;
    const Status imported = ImportCompactTrace(record, {}, line);
    const Status read = reader.Read(record);
    ASSERT_FALSE(imported.ok());
    ASSERT_FALSE(read.ok()) << record;
    EXPECT_EQ(read.error().code(), imported.error().code()) << record;
    EXPECT_EQ(read.error().place().offset, imported.error().place().offset) << record;
    EXPECT_TRUE(reader.session().messages.empty());
    EXPECT_TRUE(reader.injected_calls().empty());
    EXPECT_EQ(reader.label(), "");
  }
}

}  // namespace
}  // namespace interlock::eval
