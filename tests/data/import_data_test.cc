// Imports whole data sets and reads every result back. The data is not part of the project: INTERLOCK_DATA names the
// folder that holds `agent_sentry/`. Without it, or with a file missing, this fails: a data test that passes without
// data proves nothing.
#include <gmock/gmock.h>

#include <cstdint>
#include <cstdlib>
#include <set>
#include <string>

#include "interlock/core/trace.h"
#include "interlock/eval/import.h"
#include "interlock/platform/file.h"
#include "interlock/platform/line_reader.h"

namespace interlock::eval {
namespace {

using base::Result;
using base::Status;

struct Counts {
  std::uint64_t sessions = 0;
  std::uint64_t attacks = 0;
  std::uint64_t calls = 0;
  std::uint64_t results = 0;
  std::uint64_t spans = 0;
  std::set<std::string> names;
};

class ImportDataTest : public testing::Test {
 protected:
  void SetUp() override {
    const char* root = std::getenv("INTERLOCK_DATA");
    ASSERT_NE(root, nullptr) << "INTERLOCK_DATA is not set";
    folder_ = std::string(root) + "/agent_sentry/";
    const Result<std::string> json = platform::ReadFile(folder_ + "systems.json", 1 << 20);
    ASSERT_TRUE(json.ok()) << json.error().ToString();
    const Result<SystemPrompts> systems = ParseSystemPrompts(json.value());
    ASSERT_TRUE(systems.ok()) << systems.error().ToString();
    systems_ = systems.value();
  }

  Counts Import(const std::string& name) {
    Counts counts;
    const Status status = platform::ForEachLine(folder_ + name, kMaxImportBytes, [&](const base::Line& line) -> Status {
      if (line.number == 1) {
        const Result<TraceFormat> format = DetectTraceFormat(line.text);
        if (!format.ok()) return format.error();
        EXPECT_EQ(format.value(), TraceFormat::kCompact);
      }
      std::string trace_line;
      if (Status imported = ImportCompactTrace(line.text, systems_, trace_line); !imported.ok()) return imported;
      const Result<core::AnnotatedTrace> trace = core::ParseAnnotatedTraceLine(trace_line);
      if (!trace.ok()) return trace.error();
      Count(trace.value(), counts);
      return {};
    });
    EXPECT_TRUE(status.ok()) << name << ": session " << counts.sessions + 1 << ": " << status.error().ToString();
    return counts;
  }

 private:
  static void Count(const core::AnnotatedTrace& trace, Counts& counts) {
    ++counts.sessions;
    EXPECT_TRUE(counts.names.emplace(trace.session.session).second) << trace.session.session;
    if (trace.annotations.session.Find("label").string() == "attack") ++counts.attacks;
    EXPECT_EQ(trace.session.messages.at(0).role, core::Role::kSystem);
    EXPECT_EQ(trace.session.messages.at(1).role, core::Role::kUser);
    for (const core::TraceMessage& message : trace.session.messages) {
      counts.calls += message.calls.size();
      if (message.role == core::Role::kTool) ++counts.results;
    }
    for (const auto& [id, annotations] : trace.annotations.calls) counts.spans += annotations.Find("injections").size();
    // Oracle facts must not be where a scorer could see them.
    EXPECT_EQ(trace.session.doc.bytes().find("\"agent_sentry\""), std::string_view::npos);
  }

  std::string folder_;
  SystemPrompts systems_;
};

TEST_F(ImportDataTest, Bench) {
  const Counts counts = Import("bench.jsonl.zst");
  EXPECT_EQ(counts.sessions, 6'731u);
  EXPECT_EQ(counts.attacks, 5'276u);
  EXPECT_EQ(counts.calls, 25'665u);
}

TEST_F(ImportDataTest, AgentDojoRun) {
  const Counts counts = Import("ad_run1.jsonl.zst");
  EXPECT_EQ(counts.sessions, 1'046u);
  EXPECT_EQ(counts.attacks, 949u);
  EXPECT_EQ(counts.calls, 4'875u);
}

TEST_F(ImportDataTest, ResultsAndSpansOfBoth) {
  const Counts bench = Import("bench.jsonl.zst");
  const Counts run = Import("ad_run1.jsonl.zst");
  EXPECT_EQ(bench.calls + run.calls, 30'540u);
  EXPECT_EQ(bench.results + run.results, 30'284u);
  EXPECT_EQ(bench.spans + run.spans, 6'693u);
}

}  // namespace
}  // namespace interlock::eval
