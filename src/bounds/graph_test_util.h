// Sessions as text, for the tests of graphs.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "interlock/bounds/graph.h"
#include "interlock/bounds/learn.h"
#include "interlock/core/trace.h"

namespace interlock::bounds {

struct CallSpec {
  std::string tool;
  std::string arguments = "{}";
  std::string result = "ok";
  std::string decision = {};
};

using SessionPtr = std::shared_ptr<const core::TraceSession>;

// One assistant turn after the other; the calls of a turn are parallel.
inline SessionPtr Session(std::string_view name, std::string_view request,
                          const std::vector<std::vector<CallSpec>>& turns) {
  std::string line;
  core::TraceWriter writer(line);
  writer.Begin(name, "", "").User(request);
  int id = 0;
  for (const auto& turn : turns) {
    std::vector<std::string> ids;
    std::vector<core::TraceWriter::CallRecord> records;
    for (std::size_t i = 0; i < turn.size(); ++i) ids.push_back("c" + std::to_string(id++));
    for (std::size_t i = 0; i < turn.size(); ++i) {
      records.push_back(
          {.id = ids[i], .tool = turn[i].tool, .arguments_json = turn[i].arguments, .decision_json = turn[i].decision});
    }
    writer.Assistant("", records);
    for (std::size_t i = 0; i < turn.size(); ++i) writer.Tool(ids[i], turn[i].result, core::Trust::kUnknown);
  }
  writer.End();
  auto session = core::ParseTraceLine(line);
  EXPECT_TRUE(session.ok()) << (session.ok() ? "" : session.error().ToString()) << line;
  return std::make_shared<const core::TraceSession>(session.ok() ? std::move(session.value()) : core::TraceSession());
}

inline FunctionalityGraph Learned(const std::vector<std::pair<Side, SessionPtr>>& sessions) {
  GraphLearner learner;
  for (const auto& [side, session] : sessions) EXPECT_TRUE(learner.Observe(*session, {.side = side}).ok());
  auto graph = learner.Take();
  EXPECT_TRUE(graph.ok());
  return graph.ok() ? std::move(graph.value()) : FunctionalityGraph();
}

}  // namespace interlock::bounds
